export type { Job, Lane, Outcome, Report } from './job.ts'
export type { JobFilter } from './job-store.ts'
export { createJobTable, type JobRow, type JobState, type JobTable } from './job-table.ts'
export { Queue, type QueueOptions } from './queue.ts'
