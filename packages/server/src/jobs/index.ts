export type { AttemptResult, Job, JobCounts, JobHandler, QueueOptions } from './job.ts'
export { createJobTable, type JobRow, type JobState, type JobTable } from './job-table.ts'
export { Queue } from './queue.ts'
