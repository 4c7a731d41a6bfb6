export type { Job, JobHandler, Outcome, QueueOptions, Report } from './job.ts'
export { createJobTable, type JobRow, type JobState, type JobTable } from './job-table.ts'
export { Queue } from './queue.ts'
