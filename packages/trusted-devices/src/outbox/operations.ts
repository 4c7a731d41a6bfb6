import type { Report } from '@quillgate/server/jobs'
import type { ReplayFilter } from './outbox-filter.ts'
import type { OutboxListOptions, OutboxPage } from './outbox-list.ts'

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
