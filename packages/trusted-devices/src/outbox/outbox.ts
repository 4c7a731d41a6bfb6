import type { UserId } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import {
  createQueue,
  type Job,
  type Lane,
  type LeasedJob,
  type Queue,
  type QueueOptions,
} from '@quillgate/server/jobs'
import type { DeviceFact } from '../devices/facts.ts'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import type { DeletedUser, User } from '../devices/user.ts'
import { SIGNAL_OF } from '../signals/signal-names.ts'
import type { Destination } from './destination.ts'
import { readFact, writeFact } from './fact-json.ts'
import { parseReplayFilter, type ReplayFilter } from './outbox-filter.ts'
import { listEntries, type OutboxListOptions, type OutboxPage } from './outbox-list.ts'

/** Keeps facts in the database until they are delivered. */
export interface Outbox extends Pick<Queue<FactToDeliver>, 'start' | 'stop' | 'settle'> {
  /** Adds facts to the transaction that made them true: one job for each destination. */
  record(tx: SqlExecutor, facts: readonly DeviceFact[]): Promise<void>
  /**
   * Returns whether facts were committed; null if no destination wants them, so that no job was
   * added.
   */
  isRecorded(tx: SqlExecutor, facts: readonly DeviceFact[]): Promise<boolean | null>
  /** Delivers what was just committed, and waits for the awaited destinations. Does not reject. */
  deliverFresh(facts: readonly DeviceFact[], user: User | DeletedUser | undefined): Promise<void>
  /** Delivers what is due, and removes what was kept long enough. */
  deliver: Queue<FactToDeliver>['runDue']
  list(options?: OutboxListOptions): Promise<OutboxPage>
  replay(filter: ReplayFilter): Promise<number>
}

/** The options of an outbox, which are those of its queue. */
export interface OutboxOptions
  extends Omit<
    QueueOptions<FactToDeliver>,
    'table' | 'executor' | 'relaxed' | 'lanes' | 'write' | 'read'
  > {
  readonly db: DeviceDatabase
  readonly destinations: readonly Destination[]
  readonly toUserId: (id: UserId) => string
}

/** The payload of a job. Its row contains the fact only. */
interface FactToDeliver {
  readonly fact: DeviceFact
  readonly user: User | DeletedUser | undefined
}

/** Creates an outbox on a queue of its own. */
export function createOutbox({ db, destinations, toUserId, ...options }: OutboxOptions): Outbox {
  const queue = createQueue<FactToDeliver>({
    ...options,
    table: db.outbox,
    executor: db.executor,
    relaxed: db.undurable,
    lanes: destinations.map(laneOf),
    write: ({ fact }) => writeFact(fact),
    read: (text) => ({ fact: readFact(text), user: undefined }),
  })
  // Where facts go is decided once, when their jobs are added: receivers may come and go before the
  // delivery.
  const recorded = new WeakMap<DeviceFact, readonly LeasedJob<FactToDeliver>[]>()
  const awaited = new Set(destinations.flatMap(({ isAwaited, name }) => (isAwaited ? [name] : [])))

  return {
    async record(tx, facts) {
      const jobs = facts.flatMap((fact) => jobsFor(fact, destinations))
      const leased = Map.groupBy(await queue.add(tx, jobs), ({ payload }) => payload.fact)
      for (const fact of facts) recorded.delete(fact) // The transaction may run again.
      for (const { payload } of jobs) recorded.set(payload.fact, leased.get(payload.fact) ?? [])
    },
    async isRecorded(tx, facts) {
      const ids = facts.filter((fact) => recorded.has(fact)).map(({ eventId }) => eventId)
      return ids.length === 0 ? null : queue.has(tx, ids)
    },
    async deliverFresh(facts, user) {
      const jobs = facts
        .flatMap((fact) => recorded.get(fact) ?? [])
        .map((job) => ({ ...job, payload: { ...job.payload, user } }))
      const { true: first = [], false: others = [] } = Object.groupBy(jobs, ({ lane }) =>
        awaited.has(lane) ? 'true' : 'false',
      )
      const delivered = queue.deliver(first)
      void queue.deliver(others)
      await delivered
    },
    deliver: queue.runDue,
    list: (listOptions) => listEntries(queue, toUserId, listOptions),
    replay: async (filter) => queue.replay(parseReplayFilter(filter, toUserId)),
    start: queue.start,
    stop: queue.stop,
    settle: queue.settle,
  }
}

function laneOf({ name, isOpen, attempt }: Destination): Lane<FactToDeliver> {
  return {
    name,
    isOpen,
    async handle([job]) {
      if (!job) return { kind: 'done' }
      const { fact, user } = job.payload
      return attempt(fact, { user })
    },
  }
}

function jobsFor(
  fact: DeviceFact,
  destinations: readonly Destination[],
): readonly Job<FactToDeliver>[] {
  const kind = SIGNAL_OF[fact.kind]
  return destinations
    .filter((destination) => destination.wants(kind))
    .map(({ name }) => ({
      id: fact.eventId,
      lane: name,
      key: fact.userId,
      kind,
      payload: { fact, user: undefined },
      createdAt: fact.at.getTime(),
    }))
}
