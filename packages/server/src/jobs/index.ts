export type { Job, Lane, Outcome, Report } from './job.ts'
export type { JobFilter } from './job-log.ts'
export { createJobTable, type JobRow, type JobState, type JobTable } from './job-table.ts'
export { createQueue, type Queue, type QueueOptions } from './queue.ts'
