import type { UserId } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { createQueue, type Job, type Queue, type QueueOptions } from '@quillgate/server/jobs'
import type { DeviceFact } from '../devices/facts.ts'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import { SIGNAL_OF } from '../signals/signal-names.ts'
import type { Destination } from './destination.ts'
import { readFact, writeFact } from './fact-json.ts'
import { parseReplayFilter, type ReplayFilter } from './outbox-filter.ts'
import { listEntries, type OutboxListOptions, type OutboxPage } from './outbox-list.ts'

/** Keeps facts in the database until they are delivered. */
export interface Outbox extends Pick<Queue<DeviceFact>, 'start' | 'stop' | 'settle'> {
  /** Adds facts to the transaction that made them true: one job for each destination. */
  record(tx: SqlExecutor, facts: readonly DeviceFact[]): Promise<void>
  /**
   * Returns whether facts were committed; null if no destination wants them, so that no job was
   * added.
   */
  isRecorded(tx: SqlExecutor, facts: readonly DeviceFact[]): Promise<boolean | null>
  /**
   * Delivers facts of one user that were just committed, and waits for the awaited destinations.
   * Does not reject.
   */
  deliverFresh(facts: readonly DeviceFact[]): Promise<void>
  /** Delivers what is due, and removes what was kept long enough. */
  deliver: Queue<DeviceFact>['runDue']
  list(options?: OutboxListOptions): Promise<OutboxPage>
  replay(filter: ReplayFilter): Promise<number>
}

/** The options of an outbox, which are those of its queue. */
export interface OutboxOptions
  extends Omit<
    QueueOptions<DeviceFact>,
    'table' | 'executor' | 'relaxed' | 'lanes' | 'write' | 'read'
  > {
  readonly db: DeviceDatabase
  readonly destinations: readonly Destination[]
  readonly toUserId: (id: UserId) => string
}

/** Creates an outbox on a queue of its own. */
export function createOutbox({ db, destinations, toUserId, ...options }: OutboxOptions): Outbox {
  const queue = createQueue<DeviceFact>({
    ...options,
    table: db.outbox,
    executor: db.executor,
    relaxed: db.undurable,
    lanes: destinations.map(({ name, isOpen, attempt }) => ({
      name,
      isOpen,
      handle: async ([job]) => (job ? attempt(job.payload) : { kind: 'done' }),
    })),
    write: writeFact,
    read: readFact,
  })
  const jobsOf = (facts: readonly DeviceFact[]): readonly Job<DeviceFact>[] =>
    facts.flatMap((fact) => jobsFor(fact, destinations))

  return {
    record: (tx, facts) => queue.add(tx, jobsOf(facts)),
    async isRecorded(tx, facts) {
      const jobs = jobsOf(facts)
      const ids = jobs.map(({ id }) => id)
      return ids.length === 0 ? null : queue.has(tx, ids)
    },
    async deliverFresh(facts) {
      const lanes = new Set(jobsOf(facts).map(({ lane }) => lane))
      const key = facts[0]?.userId ?? ''
      const running = destinations
        .filter(({ name }) => lanes.has(name))
        .map(({ name, isAwaited }) => {
          const delivered = queue.deliver({ lane: name, key })
          return isAwaited ? delivered : undefined
        })
      await Promise.all(running)
    },
    deliver: queue.runDue,
    list: (listOptions) => listEntries(queue, toUserId, listOptions),
    replay: async (filter) => queue.replay(parseReplayFilter(filter, toUserId)),
    start: queue.start,
    stop: queue.stop,
    settle: queue.settle,
  }
}

function jobsFor(
  fact: DeviceFact,
  destinations: readonly Destination[],
): readonly Job<DeviceFact>[] {
  const kind = SIGNAL_OF[fact.kind]
  return destinations
    .filter((destination) => destination.wants(kind))
    .map(({ name }) => ({
      id: fact.eventId,
      lane: name,
      key: fact.userId,
      kind,
      payload: fact,
      createdAt: fact.at.getTime(),
    }))
}
