import type { SqlExecutor } from '../database/types.ts'
import type { JobStore } from './job-store.ts'
import type { JobTable } from './job-table.ts'

/**
 * Work for one key, which is attempted until it succeeds or is dead. Jobs of the same key run in
 * the order of their commits.
 */
export interface Job<Payload> {
  /** Unique, at most 64 ASCII characters. */
  readonly id: string
  /** For example a user id. Jobs of the same key wait for each other. */
  readonly key: string
  /** A description for lists. It is kept when the payload is deleted. */
  readonly kind: string
  readonly payload: Payload
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** The result of one attempt. */
export type AttemptResult =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'retry'
      /** One line for operators. */
      readonly error: string
      /** The shortest pause before the next attempt, in milliseconds, at most a day. */
      readonly after?: number
      /** Resolves to true if the attempt succeeded after its time limit. */
      readonly late?: Promise<boolean>
    }
  /** Further attempts cannot succeed. */
  | { readonly kind: 'dead'; readonly error: string }
  /** Try again at `until` (milliseconds since the epoch). No attempt is counted. */
  | { readonly kind: 'defer'; readonly until: number }

/** Handles the jobs of a queue. */
export interface JobHandler<Payload> {
  /** The maximum number of jobs of one key per call. They share one result. @default 1 */
  readonly together?: number
  /** Returns false while this process must leave the jobs to other processes. */
  isOpen(): boolean
  /** Makes one attempt within `timeout`. If it throws, the jobs become dead. */
  handle(jobs: readonly Job<Payload>[]): Promise<AttemptResult>
}

/** The options of a queue. */
export interface QueueOptions<Payload> {
  readonly table: JobTable
  /** Its commits need not survive a power failure, because the jobs are then handled again. */
  readonly executor: SqlExecutor
  readonly handler: JobHandler<Payload>
  readonly write: (payload: Payload) => string
  /** If it throws, the job becomes dead and can be replayed. */
  readonly read: (text: string) => Payload
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Returns a random number from 0 to 1. */
  readonly random: () => number
  /** The maximum number of attempts. After the last one, a failed job is dead. */
  readonly attempts: number
  /** Seconds that one attempt may take. */
  readonly timeout: number
  /** Seconds between polls; null means that the queue does not poll. */
  readonly interval: number | null
  /** Seconds for which delivered and dead jobs are kept; null means forever. */
  readonly retention: number | null
  /** Called about once an hour, to delete other data that is older than a time. */
  readonly onPrune?: (before: number) => Promise<void>
  /** Called with errors of the database in background work. */
  readonly onError: (error: unknown) => void
}

/** The parts of a queue that its worker needs. */
export interface QueueParts<Payload> extends QueueOptions<Payload> {
  readonly store: JobStore
  /** When it is aborted, jobs that have not begun are left to other processes. */
  readonly stopping: AbortSignal
}

/** The number of jobs by the result of their attempts. */
export interface JobCounts {
  readonly delivered: number
  /** Failed, and will be retried. */
  readonly retrying: number
  /** Failed, and will not be retried. */
  readonly dead: number
}

/** Adds up the counts. */
export function sum(allCounts: readonly JobCounts[]): JobCounts {
  const total = (key: keyof JobCounts): number =>
    allCounts.reduce((count, counts) => count + counts[key], 0)
  return { delivered: total('delivered'), retrying: total('retrying'), dead: total('dead') }
}
