import { ConfigurationError, type Logger, withTimeout } from '@quillgate/server/core'
import { type AttemptResult, Queue } from '@quillgate/server/jobs'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import { ALERT_KINDS, type Alert } from './alert.ts'
import type { AlertStore, StoredAlert } from './alert-store.ts'
import type { AlertLinks } from './link.ts'
import { alertContent } from './mail/alert-content.ts'
import { mailHtml, mailText } from './mail/render-mail.ts'
import type { AlertMail, Configuration, Constants } from './options.ts'

interface MailsOptions {
  readonly options: Configuration
  readonly constants: Constants
  readonly store: AlertStore
  readonly links: AlertLinks
  readonly users: Pick<TrustedDevices['users'], 'find'>
  readonly logger: Logger
  readonly clock: () => number
}

const POLL_INTERVAL = 30 // Seconds.
// The maximum number of alerts in one mail. The next mail contains further alerts.
const MAX_TOGETHER = 500
const MAX_ATTEMPTS = 100 // GIVE_UP_AFTER ends the attempts earlier.
const FIRST_PAUSE = 30_000
const HOUR = 3_600_000
const GIVE_UP_AFTER = 24 * HOUR

/** Decides when users get mails, and sends the mails. All state is in the database. */
export class Mails {
  /** Contains one job for each alert. One mail reports all waiting alerts of a user. */
  readonly queue: Queue<null>
  readonly #parts: MailsOptions
  #sent = 0

  constructor(parts: MailsOptions) {
    this.#parts = parts
    const { store, constants, clock, logger } = parts
    const onError = (error: unknown): void =>
      logger.error('A login alert could not be sent.', error)
    this.queue = new Queue<null>({
      table: store.mails,
      executor: store.relaxed,
      handler: {
        together: MAX_TOGETHER,
        isOpen: () => true,
        handle: async (jobs) => {
          try {
            return await this.#send(jobs.map(({ id }) => id))
          } catch (error) {
            onError(error)
            return { kind: 'retry', error: String(error) }
          }
        },
      },
      write: () => '', // The stored alert contains all data.
      read: () => null,
      clock,
      random: Math.random,
      attempts: MAX_ATTEMPTS,
      timeout: constants.sendTimeout,
      interval: POLL_INTERVAL,
      retention: retentionOf(constants.linkLifetime) / 1000,
      onPrune: (before) => store.prune(before),
      onError,
    })
  }

  /** Stores an alert if it is new. Does not wait for its mail. */
  async add(alert: Alert): Promise<void> {
    const { store, clock } = this.#parts
    const { eventId: id, userId: key, kind } = alert
    await store.forUser(key, async (tx) => {
      if (!(await store.insert(tx, alert))) return
      await this.queue.add(tx, [{ id, key, kind, payload: null, createdAt: clock() }])
    })
    void this.queue.deliver(key)
  }

  async sendDue(): Promise<number> {
    await this.queue.settle()
    const before = this.#sent
    await this.queue.runDue()
    return this.#sent - before
  }

  // Sends a mail about the alerts. A mail that takes too long counts towards the limit per hour,
  // because it may still arrive.
  async #send(eventIds: readonly string[]): Promise<AttemptResult> {
    const { store, clock, constants, logger } = this.#parts
    const [lead, ...more] = (await store.find(eventIds)).sort(bySeverity)
    if (!lead) return { kind: 'done' } // The alerts were erased.
    const until = await this.#reserve(lead)
    if (until !== null) return { kind: 'defer', until }
    const sending = this.#attempt(lead, more)
    // `to` or `send` may never resolve. Mails to other users must not wait for them.
    const slow = `It has not been sent after ${constants.sendTimeout} s.`
    const error = await withTimeout(constants.sendTimeout, sending, () => slow)
    if (error === null) return { kind: 'done' }
    if (error === slow) logger.warn(`A login alert is slow (${lead.kind} ${lead.eventId}). ${slow}`)
    else await store.markMailed(lead, lead)
    const newest = Math.max(...[lead, ...more].map(({ happenedAt }) => happenedAt))
    if (newest <= clock() - GIVE_UP_AFTER) return { kind: 'dead', error }
    const late = sending.then((failure) => failure === null)
    return { kind: 'retry', error, after: FIRST_PAUSE, late }
  }

  /**
   * Checks the limit per hour. If a mail is allowed now, counts it and returns null. Otherwise,
   * returns the earliest time for the mail.
   */
  #reserve(lead: StoredAlert): Promise<number | null> {
    const { store, clock, constants } = this.#parts
    const { userId } = lead
    const now = clock()
    return store.forUser(userId, async (tx) => {
      const mails = await store.mailsSince(tx, userId, now - HOUR)
      // A further mail is allowed when this mail is an hour old.
      const blocking = mails[constants.mailsPerHour - 1]
      if (blocking !== undefined) return blocking + HOUR
      const isRecent = lead.mailedAt !== null && lead.mailedAt > now - HOUR
      await store.markMailed(lead, { mailedAt: now, mails: isRecent ? lead.mails + 1 : 1 }, tx)
      return null
    })
  }

  /** Sends a mail. Returns null, or the text of the error. */
  async #attempt(lead: StoredAlert, more: readonly StoredAlert[]): Promise<string | null> {
    try {
      await this.#deliver(lead, more)
      return null
    } catch (error) {
      const { kind, eventId } = lead
      const text = `A login alert could not be sent (${kind} ${eventId}).`
      this.#parts.logger.error(text, error)
      return String(error)
    }
  }

  async #deliver(lead: StoredAlert, more: readonly StoredAlert[]): Promise<void> {
    const { options, users, store, links, constants } = this.#parts
    const { kind, eventId, userId, happenedAt } = lead
    const user = await users.find(userId)
    const to = user && (await options.to(user))
    if (!user || to === null || to === undefined) return store.markMailed(lead, lead)
    requireAddress(to)
    const mailLinks = {
      wasNotMe: `${options.origin()}${options.basePath}/${links.issue(eventId)}`,
      devices: options.devicesUrl(),
      expiresAt: happenedAt + constants.linkLifetime,
    }
    const content = alertContent(lead, more, mailLinks, options.alertContextFor(user))
    const mail: AlertMail = {
      to,
      subject: content.subject,
      text: mailText(content),
      html: mailHtml(content),
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...{ kind, eventId, userId },
    }
    await options.send(mail)
    this.#sent++
  }
}

/** Returns the time in milliseconds for which an alert is kept. */
export function retentionOf(linkLifetime: number): number {
  return Math.max(linkLifetime, 2 * GIVE_UP_AFTER)
}

function bySeverity(a: Alert, b: Alert): number {
  return (
    ALERT_KINDS.indexOf(a.kind) - ALERT_KINDS.indexOf(b.kind) ||
    b.happenedAt - a.happenedAt ||
    (a.eventId < b.eventId ? 1 : -1)
  )
}

// Accepts only a bare address. A user who chooses the address could otherwise add headers or other
// recipients.
function requireAddress(to: unknown): asserts to is string {
  const isAddress =
    typeof to === 'string' &&
    to.length <= 320 &&
    /^[^\s\p{Cc},;:<>()"]+@[^\s\p{Cc},;:<>()"]+$/u.test(to)
  if (isAddress) return
  const problem = 'must return one bare email address such as "ada@example.com", or null'
  throw new ConfigurationError('The option `to`', problem)
}
