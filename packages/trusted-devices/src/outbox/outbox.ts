import { type UserId, withTimeout } from '@quillgate/server/core'
import { type Job, type Lane, Queue, type QueueOptions, type Report } from '@quillgate/server/jobs'
import type { EventRecorder } from '../devices/changes.ts'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import { Deliveries, RECEIVER_DEADLINE } from '../signals/deliveries.ts'
import { type Publisher, whereOf } from '../signals/publisher.ts'
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
   * @throws QuillgateError 400 `invalid_request` if an option is invalid or unknown
   */
  list(options?: OutboxListOptions): Promise<OutboxPage>
  /**
   * Makes dead events pending again, with all their attempts: those that the filter names, or all
   * with `{ everything: true }`. They are delivered before other events of the same user and
   * destination.
   *
   * @returns their number
   * @throws QuillgateError 400 `invalid_request` for a filter that is wrong or empty
   */
  replay(filter: ReplayFilter): Promise<number>
  /**
   * Delivers what is due, for hosts without timers and for cron; elsewhere every process does it
   * from time to time. Any number of processes may do it at once.
   */
  deliver(): Promise<Report>
}

/** Keeps events in the database until they are delivered. */
export interface Outbox
  extends OutboxOperations,
    EventRecorder,
    Pick<Queue<DeviceEvent>, 'start' | 'stop' | 'settle'> {
  /** Delivers new events of one user, and waits for the receivers. Does not reject. */
  deliverFresh(events: readonly DeviceEvent[]): Promise<void>
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
    async deliverFresh(events) {
      const key = events[0]?.userId ?? ''
      const lanes = new Set(jobsOf(events).map(({ lane }) => lane))
      const delivering = [...lanes].map((lane) => {
        const delivered = queue.deliver({ lane, key })
        return lane === RECEIVERS ? delivered : undefined
      })
      await Promise.all(delivering)
    },
    deliver: () => queue.runDue(),
    list: (listOptions) => listEntries(queue, toUserId, listOptions),
    replay: async (filter) => queue.replay(parseReplayFilter(filter, toUserId)),
    start: () => queue.start(),
    stop: () => queue.stop(),
    settle: () => queue.settle(),
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

/**
 * Creates a publisher that leaves the delivery to the outbox, and waits for it as long as an answer
 * may.
 *
 * @param timeout seconds
 */
export function createOutboxPublisher(outbox: Outbox, timeout: number): Publisher {
  const deliveries = new Deliveries()
  const send = async (patience: number, events: readonly DeviceEvent[]): Promise<void> => {
    const [first] = events
    if (!first) return
    const delivered = outbox.deliverFresh(events)
    deliveries.add(delivered, whereOf(first))
    await withTimeout(patience, delivered, () => undefined)
  }
  return {
    publish: (events) => send(timeout, events),
    publishFully: (events) => send(deliveries.isStuck() ? timeout : RECEIVER_DEADLINE, events),
    settle: (seconds) => deliveries.settle(seconds),
    async close(seconds) {
      outbox.stop()
      await withTimeout(seconds, outbox.settle(), () => undefined)
    },
  }
}
