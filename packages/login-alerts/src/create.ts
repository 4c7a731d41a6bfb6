import { checkGate } from '@quillgate/server'
import { createReady, withTimeout } from '@quillgate/server/core'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import { type Alert, toAlert } from './alert.ts'
import { AlertStore, loginAlertMigrations, userData } from './alert-store.ts'
import { createAlertLinks } from './link.ts'
import { Mails, retentionOf } from './mails.ts'
import { CONSTANTS, type Constants, type LoginAlertsOptions, resolveOptions } from './options.ts'
import { createPages } from './pages/endpoints.ts'

/** The login alerts of an application. Login alerts are mails to users about sign-ins. */
export interface LoginAlerts {
  /**
   * Waits for the mails that are being sent, then sends the mails that are due. A process that keeps
   * running sends due mails every 30 seconds. Failures are logged, and failed mails are sent later.
   *
   * @returns the number of due mails that were sent
   */
  sendDue(): Promise<number>
}

/**
 * Creates login alerts: mails to users about new devices, new countries and copied sign-ins. The
 * links in the mails open pages, which the adapter of the application object serves.
 *
 * @throws ConfigurationError that names the invalid option
 *
 * @example
 * createLoginAlerts(devices, {
 *   appName: 'Harbour',
 *   to: (user) => user.email,
 *   send: (mail) => transport.sendMail({ from: 'security@harbour.example', ...mail }),
 * })
 */
export function createLoginAlerts(
  devices: TrustedDevices,
  options: LoginAlertsOptions,
): LoginAlerts {
  return createWithConstants(devices, options, CONSTANTS)
}

const CLOSE_TIMEOUT = 10 // Seconds.

/** Creates login alerts with other constants, for tests. */
export function createWithConstants(
  devices: TrustedDevices,
  input: LoginAlertsOptions,
  constants: Constants,
): LoginAlerts {
  checkGate(devices?.gate, 'createLoginAlerts')
  const { name, users } = devices
  const { parts } = devices.gate
  const { logger, clock } = parts
  const options = resolveOptions(input, parts.publicOrigin, name)
  const instance = name === undefined ? '' : `${name}:`
  const prefix = parts.prefix + instance.replaceAll(/[-:]/g, '_')
  const store = new AlertStore(parts.database, prefix)
  const links = createAlertLinks(parts.keys(`${instance}login-alert-link`))
  const mails = new Mails({ options, constants, store, links, users, logger, clock })
  // The city must not be kept longer than `networkRetention`. If the alert is kept longer, the city
  // is not stored.
  const cityAge = devices.getSetting('networkRetention') ?? Number.POSITIVE_INFINITY
  const keepsCity = cityAge * 1000 >= retentionOf(constants.linkLifetime)
  let isClosed = false
  const ready = createReady(async () => {
    if (isClosed) return // Nothing would stop the timers of a queue that starts after `close`.
    await parts.createTables(loginAlertMigrations, prefix)
    mails.queue.start()
  })
  users.addData(userData(store))
  connect(devices, async (alert) => {
    await ready()
    if (!(await users.find(alert.userId))) return // A deleted user gets no mail.
    const details = keepsCity ? alert.details : { ...alert.details, city: null }
    await mails.add({ ...alert, details })
  })
  parts.components.register({
    name: `${instance}login-alerts`,
    ...createPages({ devices, options, constants, store, links }, ready),
    ready,
    async close() {
      isClosed = true
      await ready.settled()
      mails.queue.stop()
      await withTimeout(CLOSE_TIMEOUT, mails.queue.settle(), () => undefined)
    },
  })
  return {
    async sendDue() {
      await ready()
      return mails.sendDue()
    },
  }
}

const RECEIVER = { id: 'quillgate:login-alerts' }

// Connects receivers that store alerts. A login waits for its alert, at most `receiverTimeout`, but
// not for the mail. If storing fails and the setting `outbox` is true, the event is sent again.
function connect(
  { signals }: Pick<TrustedDevices, 'signals'>,
  add: (alert: Alert) => Promise<void>,
): void {
  signals.deviceCreated.connect(async (event) => {
    // If the device is suspicious, the signal `suspicious_login` creates the alert.
    const isKnown = event.returning || event.isFirst || event.reason === 'adopted'
    if (!isKnown && !event.suspicious) await add(toAlert('new_device', event))
  }, RECEIVER)
  signals.suspiciousLogin.connect((event) => add(toAlert('new_country', event)), RECEIVER)
  signals.deviceCompromised.connect((event) => add(toAlert('compromised', event)), RECEIVER)
}
