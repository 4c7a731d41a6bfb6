export type { AttemptResult, Job, JobHandler, QueueOptions, Report } from './job.ts'
export { createJobTable, type JobRow, type JobState, type JobTable } from './job-table.ts'
export { Queue } from './queue.ts'
