import type { OutboxFilter, OutboxListOptions, OutboxPage } from './outbox-log.ts'
import type { DeliveryReport } from './queue.ts'

/** What an application can do with its outbox. Everything throws a ConfigurationError while the setting is off. */
export interface OutboxOperations {
  /**
   * Events in the outbox, oldest first. What is `dead` was given up: nobody has heard of it.
   *
   * @throws QuillgateError 400 `invalid_request` for a limit or cursor that is wrong
   */
  list(options?: OutboxListOptions): Promise<OutboxPage>
  /**
   * Makes dead events pending again, with all their attempts: all, or those that the filter names. They are delivered
   * before what waits for the same user and destination.
   *
   * @returns their number
   */
  replay(filter?: Omit<OutboxFilter, 'state'>): Promise<number>
  /** The same as `deliverOutbox`. */
  deliver(): Promise<DeliveryReport>
}
