import type { UserId } from '@quillgate/server/core'
import { type Job, type Lane, Queue, type QueueOptions, type Report } from '@quillgate/server/jobs'
import type { EventRecorder } from '../devices/changes.ts'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import type { EventDelivery } from '../signals/publisher.ts'
import { SIGNAL_OF, type SignalName } from '../signals/signals.ts'
import { readEvent, writeEvent } from './event-json.ts'
import {
  listEntries,
  type OutboxListOptions,
  type OutboxPage,
  parseReplayFilter,
  type ReplayFilter,
} from './outbox-log.ts'

/** A destination of events: the receivers of this process, or a webhook. */
export interface Destination extends Lane<DeviceEvent> {
  /** Returns whether a job is added for an event of this signal, for example `device_created`. */
  wants(signal: SignalName): boolean
}

/** The lane of the receivers. Only this one is waited for by requests. */
export const RECEIVERS = 'receivers'

/** The operations of an outbox. Each throws a ConfigurationError if the setting is off. */
export interface OutboxOperations {
  /**
   * Returns events in the outbox, oldest first. `dead` events were given up and not delivered.
   *
   * @throws ConfigurationError if an option is invalid or unknown
   */
  list(options?: OutboxListOptions): Promise<OutboxPage>
  /**
   * Makes dead events pending again, with all their attempts: those that the filter names, or all
   * with `{ everything: true }`. They are delivered before other events of the same user and
   * destination.
   *
   * @returns their number
   * @throws ConfigurationError for a filter that is wrong or empty
   */
  replay(filter: ReplayFilter): Promise<number>
  /**
   * Delivers what is due, for hosts without timers and for cron; elsewhere every process does it
   * from time to time. Any number of processes may do it at once.
   */
  deliver(): Promise<Report>
}

/** Keeps events in the database until they are delivered. */
export interface Outbox extends OutboxOperations, EventRecorder, Pick<Queue<DeviceEvent>, 'start'> {
  /** Delivers new events, which are recorded, and begins nothing further when it is stopped. */
  readonly delivery: EventDelivery
}

/** The options of an outbox, which are those of its queue. */
export interface OutboxOptions
  extends Omit<QueueOptions<DeviceEvent>, 'table' | 'executor' | 'lanes' | 'write' | 'read'> {
  readonly db: Pick<DeviceDatabase, 'outbox' | 'relaxed'>
  readonly destinations: readonly Destination[]
  readonly toUserId: (id: UserId) => string
}

/** Creates an outbox on a queue of its own. */
export function createOutbox({ db, destinations, toUserId, ...options }: OutboxOptions): Outbox {
  const queue = new Queue<DeviceEvent>({
    ...options,
    ...{ table: db.outbox, executor: db.relaxed, lanes: destinations },
    ...{ write: writeEvent, read: readEvent },
  })
  const jobsOf = (events: readonly DeviceEvent[]): readonly Job<DeviceEvent>[] =>
    events.flatMap((event) => jobsFor(event, destinations))
  return {
    record: (tx, events) => queue.add(tx, jobsOf(events)),
    delivery: {
      async deliver(events) {
        const key = events[0]?.userId ?? ''
        const lanes = new Set(jobsOf(events).map(({ lane }) => lane))
        const delivering = [...lanes].map((lane) => {
          const delivered = queue.deliver({ lane, key })
          return lane === RECEIVERS ? delivered : undefined
        })
        await Promise.all(delivering)
      },
      stop() {
        queue.stop()
        return queue.settle()
      },
    },
    deliver: () => queue.runDue(),
    list: (listOptions) => listEntries(queue, toUserId, listOptions),
    replay: async (filter) => queue.replay(parseReplayFilter(filter, toUserId)),
    start: () => queue.start(),
  }
}

/** Returns one job for each destination of an event. */
function jobsFor(
  event: DeviceEvent,
  destinations: readonly Destination[],
): readonly Job<DeviceEvent>[] {
  const { eventId: id, userId: key, at } = event
  const kind = SIGNAL_OF[event.kind]
  return destinations
    .filter((destination) => destination.wants(kind))
    .map(({ name: lane }) => ({ id, lane, key, kind, payload: event, createdAt: at.getTime() }))
}
