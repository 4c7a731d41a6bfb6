import type { SqlExecutor } from '@quillgate/server/database'
import type { UserDirectory } from '../devices/user-directory.ts'
import type { DeviceSignals } from '../signals/signals.ts'
import type { AlertAnswers } from './alert-answers.ts'
import type { AlertEvent } from './alert-event.ts'
import type { AlertLinks } from './alert-link.ts'
import type { AlertPolicy } from './alert-policy.ts'
import type { AlertQueue } from './alert-queue.ts'
import type { AlertTable } from './alert-table.ts'

/** The alerts of an instance. */
export interface Alerts {
  readonly policy: AlertPolicy
  readonly links: AlertLinks
  readonly table: AlertTable
  readonly answers: AlertAnswers
  /** Connects the receivers that write mails. */
  connect(signals: DeviceSignals): void
  /**
   * Sends whatever is due. Errors of single mails go to the log, and the mails wait. @returns the
   * mails sent
   */
  sendDue(): Promise<number>
  /** Begins to poll for what is due. */
  start(): void
  /** Ends that, and waits for mails that are being sent. @param seconds the longest wait */
  stop(seconds: number): Promise<void>
}

/** The parts that write and send mails. */
export interface AlertParts {
  readonly executor: SqlExecutor
  readonly policy: AlertPolicy
  readonly links: AlertLinks
  readonly table: AlertTable
  readonly queue: Pick<AlertQueue, 'reserve'>
  readonly users: UserDirectory
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** The absolute address of a link. */
  readonly urlOf: (token: string) => string
  /** Called after a mail was sent. */
  readonly onSent: () => void
  /** Called for mails that could not be written or sent. */
  readonly onError: (error: unknown, event: AlertEvent | null) => void
}
