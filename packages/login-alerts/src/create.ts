import { checkGate } from '@quillgate/server'
import { createReady, withTimeout } from '@quillgate/server/core'
import { migrate } from '@quillgate/server/database'
import type { DeviceSignals, TrustedDevices } from '@quillgate/trusted-devices'
import { type Alert, toAlert } from './alert.ts'
import { AlertStore, loginAlertMigrations } from './alert-store.ts'
import { createAlertLinks } from './link.ts'
import { LIMITS, type Limits, type LoginAlertsOptions, resolveOptions } from './options.ts'
import { createPages } from './pages/endpoints.ts'
import { createMailQueue, type MailQueue } from './queue.ts'
import { type SendParts, sendMail } from './send.ts'
import { userData } from './user-data.ts'

/** Mails to users about sign-ins. */
export interface LoginAlerts {
  /**
   * Sends the mails that are due, and waits for those that are being sent. Nodes that run on do it
   * by themselves every half minute. Failures go to the log, and the mails wait.
   *
   * @returns how many it sent
   */
  sendDue(): Promise<number>
}

/**
 * Creates mails to users about new devices, new countries and copied sign-ins. `mount(gate)` serves
 * the pages that the links of the mails open.
 *
 * @param devices the trusted devices whose signals it listens to
 * @throws ConfigurationError that names the option
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
  return createWithLimits(devices, options, LIMITS)
}

/** Creates login alerts with other limits, for tests. */
export function createWithLimits(
  devices: TrustedDevices,
  input: LoginAlertsOptions,
  limits: Limits,
): LoginAlerts {
  checkGate(devices?.gate, 'createLoginAlerts')
  const { name, users } = devices
  const { parts } = devices.gate
  const options = resolveOptions(input, parts.publicOrigin)
  const of = name === undefined ? '' : `${name}:`
  const prefix = parts.prefix + of.replaceAll(/[-:]/g, '_')
  const store = new AlertStore(parts.database, prefix)
  const links = createAlertLinks(parts.keys(`${of}login-alert-link`))
  const { queue, countSent } = createMails(devices, { options, limits, store, links })
  let isClosed = false
  const ready = createReady(async () => {
    if (isClosed) return // Starting now would leave timers behind.
    if (parts.migrate) await migrate(parts.database, loginAlertMigrations, { prefix })
    queue.start()
  })
  users.addData(userData(store))
  connect(devices.signals, options, async (alert) => {
    await ready()
    if (await users.find(alert.userId)) await queue.add(alert) // A deleted user gets no mail.
  })
  parts.register({
    name: `${of}login-alerts`,
    ...createPages({ devices, options, limits, store, links }, ready),
    ready,
    async close() {
      isClosed = true
      await ready.settled()
      queue.stop()
      await withTimeout(CLOSE_PATIENCE, queue.settle(), () => undefined)
    },
  })
  return {
    async sendDue() {
      await ready()
      await queue.settle()
      const before = countSent()
      await queue.runDue()
      return countSent() - before
    },
  }
}

const CLOSE_PATIENCE = 10 // Seconds.

/** Creates the queue of mails, and counts those that it sent. */
function createMails(
  { gate, users, getSetting }: TrustedDevices,
  parts: Pick<SendParts, 'options' | 'limits' | 'store' | 'links'>,
): { readonly queue: MailQueue; countSent(): number } {
  const { clock, logger } = gate.parts
  let sent = 0
  const sending: SendParts = { ...parts, users, logger, clock, onSent: () => void sent++ }
  const onError = (error: unknown): void => logger.error('A login alert could not be sent.', error)
  const cityAge = getSetting('networkRetention')
  const queue = createMailQueue({
    ...{ store: parts.store, limits: parts.limits, clock, onError },
    cityAge: cityAge === null ? null : cityAge * 1000,
    async handle(jobs) {
      try {
        const eventIds = jobs.map(({ id }) => id)
        return await sendMail(sending, eventIds)
      } catch (error) {
        onError(error)
        return { kind: 'retry', error: String(error) }
      }
    },
  })
  return { queue, countSent: () => sent }
}

const RECEIVER = { id: 'quillgate:login-alerts' }

/**
 * Connects the receivers. Each ends as soon as its alert is in the database: sending takes its
 * time, and no login waits for it. With the outbox an event that could not be stored comes again.
 */
function connect(
  signals: DeviceSignals,
  { firstDevice }: { readonly firstDevice: boolean },
  tell: (alert: Alert) => Promise<void>,
): void {
  signals.deviceCreated.connect(async (event) => {
    // suspicious_login covers suspicious devices. Returning and adopted devices need no mail.
    if (event.suspicious || event.returning || event.reason === 'adopted') return
    if (!event.isFirst || firstDevice) await tell(toAlert('new_device', event))
  }, RECEIVER)
  signals.suspiciousLogin.connect((event) => tell(toAlert('new_country', event)), RECEIVER)
  signals.deviceCompromised.connect((event) => tell(toAlert('compromised', event)), RECEIVER)
}
