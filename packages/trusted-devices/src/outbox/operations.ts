import type { ReplayFilter } from './outbox-filter.ts'
import type { OutboxListOptions, OutboxPage } from './outbox-log.ts'
import type { DeliveryReport } from './queue.ts'

/** What an application can do with its outbox. Everything throws a ConfigurationError while the setting is off. */
export interface OutboxOperations {
  /**
   * Events in the outbox, oldest first. What is `dead` was given up: nobody has heard of it.
   *
   * @throws QuillgateError 400 `invalid_request` for a limit, a cursor or a member of the filter that is wrong or unknown
   */
  list(options?: OutboxListOptions): Promise<OutboxPage>
  /**
   * Makes dead events pending again, with all their attempts: those that the filter names, or all with
   * `{ everything: true }`. They are delivered before what waits for the same user and destination.
   *
   * @returns their number
   * @throws QuillgateError 400 `invalid_request` for a filter that is wrong or empty
   */
  replay(filter: ReplayFilter): Promise<number>
  /**
   * Delivers what is due, for hosts without timers and for cron; elsewhere every process does it from time to time. Any
   * number of processes may do it at once.
   */
  deliver(): Promise<DeliveryReport>
}
