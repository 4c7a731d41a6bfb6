import type { SqlExecutor } from '@quillgate/server/database'
import type { DeviceSignals } from '../signals/signals.ts'
import { type AlertEvent, toAlertEvent } from './alert-event.ts'
import type { AlertPolicy } from './alert-policy.ts'
import type { AlertTable } from './alert-table.ts'

const RECEIVER = { id: 'quillgate:alerts' }

/** The options of {@link connectAlerts}. */
export interface ConnectParts {
  readonly policy: Pick<AlertPolicy, 'firstDevice'>
  readonly table: AlertTable
  readonly executor: SqlExecutor
  /** Keeps an event to be told; the mail follows. */
  readonly tell: (event: AlertEvent) => Promise<void>
}

/**
 * Connects the receivers of an instance. Each ends as soon as its event is in the database: sending
 * takes its time, and no login waits for it. With the outbox an event that could not be kept comes
 * again.
 */
export function connectAlerts(
  signals: DeviceSignals,
  { policy, table, executor, tell }: ConnectParts,
): void {
  signals.deviceCreated.connect(async (event) => {
    // suspicious_login covers suspicious devices. Returning and adopted devices need no mail.
    if (event.suspicious || event.returning || event.reason === 'adopted') return
    const { userId, uid } = event.device
    if (!policy.firstDevice && !(await table.hadDeviceBefore(executor, userId, uid))) return
    await tell(toAlertEvent('new_device', event))
  }, RECEIVER)
  signals.suspiciousLogin.connect((event) => tell(toAlertEvent('new_country', event)), RECEIVER)
  signals.deviceCompromised.connect((event) => tell(toAlertEvent('compromised', event)), RECEIVER)
}
