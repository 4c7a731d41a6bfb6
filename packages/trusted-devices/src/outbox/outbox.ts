import { ConfigurationError } from '@quillgate/server/core'
import { type JobCounts, Queue, type QueueOptions } from '@quillgate/server/jobs'
import type { EventRecorder } from '../devices/changes.ts'
import type { DeviceEvent } from '../devices/device-event.ts'
import type { DeviceDatabase } from '../devices/tables/device-database.ts'
import type { StoredDelivery } from '../signals/publisher.ts'
import { SIGNAL_OF } from '../signals/signals.ts'
import { readEvent, writeEvent } from './event-json.ts'
import {
  listEntries,
  type OutboxListOptions,
  type OutboxPage,
  parseReplayFilter,
  type ReplayFilter,
} from './outbox-log.ts'

/** The operations of an outbox. If the setting `outbox` is off, they throw a ConfigurationError. */
export interface OutboxOperations {
  /**
   * Returns events in the outbox, oldest first. If all attempts to deliver an event failed, the
   * event is `dead` and is no longer tried.
   *
   * @throws ConfigurationError if an option is invalid or unknown
   */
  list(options?: OutboxListOptions): Promise<OutboxPage>
  /**
   * Makes dead events pending again and sets their attempts to 0. Delivers them before other events
   * of the same user.
   *
   * @returns the number of these events
   * @throws ConfigurationError for a filter that is invalid or empty
   */
  replay(filter: ReplayFilter): Promise<number>
  /**
   * Delivers all events that are due, and returns the numbers of events by result. Call this method
   * on hosts without timers, for example from a cron job. On other hosts, every process delivers
   * events periodically. Several processes can safely call this method at the same time.
   */
  deliver(): Promise<JobCounts>
}

/** An outbox, which stores events in the database until they are delivered. */
export interface Outbox extends EventRecorder, StoredDelivery {
  readonly queue: Queue<DeviceEvent>
}

/** The options of an outbox and its queue. */
export interface OutboxOptions
  extends Omit<QueueOptions<DeviceEvent>, 'table' | 'executor' | 'write' | 'read'> {
  readonly db: Pick<DeviceDatabase, 'outbox' | 'relaxed'>
}

/** Creates an outbox with its own job queue. */
export function createOutbox({ db, ...options }: OutboxOptions): Outbox {
  const queue = new Queue<DeviceEvent>({
    ...options,
    ...{ table: db.outbox, executor: db.relaxed },
    ...{ write: writeEvent, read: readEvent },
  })
  return {
    queue,
    record(tx, events) {
      const jobs = events.map((event) => ({
        ...{ id: event.eventId, key: event.userId, kind: SIGNAL_OF[event.kind] },
        ...{ payload: event, createdAt: event.at.getTime() },
      }))
      return queue.add(tx, jobs)
    },
    deliverNew: (events) => queue.deliver(events[0]?.userId ?? ''),
    stop() {
      queue.stop()
      return queue.settle()
    },
  }
}

/** Creates the operations of an instance. `outbox` is null if the setting `outbox` is off. */
export function outboxOperations(
  outbox: Outbox | null,
  ready: () => Promise<void>,
): OutboxOperations {
  const readyQueue = async (): Promise<Queue<DeviceEvent>> => {
    if (!outbox) {
      const problem = 'must be true before you can list, replay or deliver events'
      throw new ConfigurationError('settings.outbox', problem)
    }
    await ready()
    return outbox.queue
  }
  return {
    list: async (options) => listEntries(await readyQueue(), options),
    replay: async (filter) => (await readyQueue()).replay(parseReplayFilter(filter)),
    deliver: async () => (await readyQueue()).runDue(),
  }
}
