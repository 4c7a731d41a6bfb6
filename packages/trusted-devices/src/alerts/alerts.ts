import type { SqlExecutor } from '@quillgate/server/database'
import type { UserDirectory } from '../devices/user-directory.ts'
import type { DeviceSignals } from '../signals/signals.ts'
import type { AlertAnswers } from './alert-answers.ts'
import type { AlertEvent } from './alert-event.ts'
import type { AlertLinks } from './alert-link.ts'
import type { AlertPolicy } from './alert-policy.ts'
import type { AlertQueue } from './alert-queue.ts'
import type { AlertTable } from './alert-table.ts'

/** Everything about alerts that the rest of an instance works with. */
export interface Alerts {
  readonly policy: AlertPolicy
  readonly links: AlertLinks
  readonly table: AlertTable
  readonly answers: AlertAnswers
  /** Connects the receivers that write mails. */
  connect(signals: DeviceSignals): void
  /** Sends whatever is due. Errors of single mails go to the log, and the mails wait. @returns the mails sent */
  sendDue(): Promise<number>
  /** Begins to look for what is due, now and whenever there will be something. */
  start(): void
  /** Ends that, and waits for mails that are being sent. @param seconds the longest wait */
  stop(seconds: number): Promise<void>
}

/** What is needed to write and send mails. */
export interface AlertParts {
  readonly executor: SqlExecutor
  readonly policy: AlertPolicy
  readonly links: AlertLinks
  readonly table: AlertTable
  readonly queue: AlertQueue
  readonly users: UserDirectory
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** The absolute address of a link. */
  readonly urlOf: (token: string) => string
  /** Hears of mails that could not be written or sent. */
  readonly onError: (error: unknown, event: AlertEvent | null) => void
}
