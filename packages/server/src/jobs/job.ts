import type { SqlExecutor } from '../database/types.ts'
import type { JobStore } from './job-store.ts'
import type { JobTable } from './job-table.ts'

/**
 * A unit of work. It is attempted until it succeeds or is given up. Jobs with the same key run in
 * the order of their commits.
 */
export interface Job<Payload> {
  /** The unique id, of at most 64 ASCII characters. */
  readonly id: string
  /** The subject of the job, for example a user id. Jobs with the same key wait for each other. */
  readonly key: string
  /** A description for lists. It is kept when the payload is deleted. */
  readonly kind: string
  readonly payload: Payload
  /** The time in milliseconds since the epoch. */
  readonly createdAt: number
}

/** The result of one attempt. */
export type AttemptResult =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'retry'
      /** One line for operators. */
      readonly error: string
      /**
       * The minimum pause before the next attempt, in milliseconds. More than a day counts as a
       * day.
       */
      readonly after?: number
      /** Set if the attempt still runs after its time limit. Resolves to true if it succeeds. */
      readonly late?: Promise<boolean>
    }
  /** The job is given up, because further attempts cannot succeed. */
  | { readonly kind: 'dead'; readonly error: string }
  /** Try again at `until` (milliseconds since the epoch). No attempt is counted. */
  | { readonly kind: 'defer'; readonly until: number }

/** The code that handles the jobs of a queue. */
export interface JobHandler<Payload> {
  /** The maximum number of jobs per call. They have the same key and share a result. @default 1 */
  readonly together?: number
  /** Returns false while this process must not handle jobs. */
  isOpen(): boolean
  /** Makes one attempt within the `timeout` of the queue. If it throws, the jobs become dead. */
  handle(jobs: readonly Job<Payload>[]): Promise<AttemptResult>
}

/** The options of a queue. */
export interface QueueOptions<Payload> {
  readonly table: JobTable
  /** Runs the statements of the queue. With `durable: false`, a power failure can repeat jobs. */
  readonly executor: SqlExecutor
  readonly handler: JobHandler<Payload>
  readonly write: (payload: Payload) => string
  /** Parses a payload. If this throws, all jobs of the attempt become dead and can be replayed. */
  readonly read: (text: string) => Payload
  /** Returns the current time in milliseconds since the epoch. */
  readonly clock: () => number
  /** Returns a random number from 0 to 1. */
  readonly random: () => number
  /** The maximum number of attempts. After the last attempt, a failed job is dead. */
  readonly attempts: number
  /** The time limit of one attempt in seconds. */
  readonly timeout: number
  /** The time between polls in seconds. If null, the queue does not poll. */
  readonly interval: number | null
  /** The seconds for which delivered and dead jobs are kept. If null, they are kept forever. */
  readonly retention: number | null
  /** Called about once an hour if `retention` is set. Deletes other data older than `before`. */
  readonly onPrune?: (before: number) => Promise<void>
  /** Called with errors of the database in background work. */
  readonly onError: (error: unknown) => void
}

/** The parts of a queue that its worker needs. */
export interface QueueParts<Payload> extends QueueOptions<Payload> {
  readonly store: JobStore
  /** After it is aborted, no further jobs begin in this process. */
  readonly stopping: AbortSignal
}

/** The numbers of jobs by the results of their attempts. */
export interface JobCounts {
  readonly delivered: number
  readonly retrying: number
  readonly dead: number
}

/** Adds up the counts. */
export function sum(allCounts: readonly JobCounts[]): JobCounts {
  const total = (key: keyof JobCounts): number =>
    allCounts.reduce((count, counts) => count + counts[key], 0)
  return { delivered: total('delivered'), retrying: total('retrying'), dead: total('dead') }
}
