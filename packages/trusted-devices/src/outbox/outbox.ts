import type { UserId } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { type Job, Queue, type QueueOptions } from '@quillgate/server/jobs'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import { SIGNAL_OF } from '../signals/signal-names.ts'
import type { Destination } from './destination.ts'
import { readEvent, writeEvent } from './event-json.ts'
import { parseReplayFilter, type ReplayFilter } from './outbox-filter.ts'
import { listEntries, type OutboxListOptions, type OutboxPage } from './outbox-list.ts'

/** Keeps events in the database until they are delivered. */
export interface Outbox extends Pick<Queue<DeviceEvent>, 'start' | 'stop' | 'settle'> {
  /** Adds events to the transaction that made them true: one job for each destination. */
  record(tx: SqlExecutor, events: readonly DeviceEvent[]): Promise<void>
  /**
   * Returns whether events were committed; null if no destination wants them, so that no job was
   * added.
   */
  isRecorded(tx: SqlExecutor, events: readonly DeviceEvent[]): Promise<boolean | null>
  /**
   * Delivers events of one user that were just committed, and waits for the awaited destinations.
   * Does not reject.
   */
  deliverFresh(events: readonly DeviceEvent[]): Promise<void>
  /** Delivers what is due, and removes what was kept long enough. */
  deliver: Queue<DeviceEvent>['runDue']
  list(options?: OutboxListOptions): Promise<OutboxPage>
  replay(filter: ReplayFilter): Promise<number>
}

/** The options of an outbox, which are those of its queue. */
export interface OutboxOptions
  extends Omit<
    QueueOptions<DeviceEvent>,
    'table' | 'executor' | 'relaxed' | 'lanes' | 'write' | 'read'
  > {
  readonly db: Pick<DeviceDatabase, 'outbox' | 'executor' | 'undurable'>
  readonly destinations: readonly Destination[]
  readonly toUserId: (id: UserId) => string
}

/** Creates an outbox on a queue of its own. */
export function createOutbox({ db, destinations, toUserId, ...options }: OutboxOptions): Outbox {
  const queue = new Queue<DeviceEvent>({
    ...options,
    table: db.outbox,
    executor: db.executor,
    relaxed: db.undurable,
    lanes: destinations.map(({ name, isOpen, attempt }) => ({
      name,
      isOpen,
      handle: async ([job]) => (job ? attempt(job.payload) : { kind: 'done' }),
    })),
    write: writeEvent,
    read: readEvent,
  })
  const jobsOf = (events: readonly DeviceEvent[]): readonly Job<DeviceEvent>[] =>
    events.flatMap((event) => jobsFor(event, destinations))

  return {
    record: (tx, events) => queue.add(tx, jobsOf(events)),
    async isRecorded(tx, events) {
      const jobs = jobsOf(events)
      const ids = jobs.map(({ id }) => id)
      return ids.length === 0 ? null : queue.has(tx, ids)
    },
    async deliverFresh(events) {
      const lanes = new Set(jobsOf(events).map(({ lane }) => lane))
      const key = events[0]?.userId ?? ''
      const running = destinations
        .filter(({ name }) => lanes.has(name))
        .map(({ name, isAwaited }) => {
          const delivered = queue.deliver({ lane: name, key })
          return isAwaited ? delivered : undefined
        })
      await Promise.all(running)
    },
    deliver: () => queue.runDue(),
    list: (listOptions) => listEntries(queue, toUserId, listOptions),
    replay: async (filter) => queue.replay(parseReplayFilter(filter, toUserId)),
    start: () => queue.start(),
    stop: () => queue.stop(),
    settle: () => queue.settle(),
  }
}

function jobsFor(
  event: DeviceEvent,
  destinations: readonly Destination[],
): readonly Job<DeviceEvent>[] {
  const kind = SIGNAL_OF[event.kind]
  return destinations
    .filter((destination) => destination.wants(kind))
    .map(({ name }) => ({
      id: event.eventId,
      lane: name,
      key: event.userId,
      kind,
      payload: event,
      createdAt: event.at.getTime(),
    }))
}
