import { ConfigurationError, type Logger, withTimeout } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { type Outcome, Queue } from '@quillgate/server/jobs'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import { ALERT_KINDS, type Alert } from './alert.ts'
import type { AlertStore, StoredAlert } from './alert-store.ts'
import type { AlertLinks } from './link.ts'
import { alertContent } from './mail/alert-content.ts'
import { mailHtml, mailText } from './mail/render-mail.ts'
import type { AlertMail, Configuration, Limits } from './options.ts'

/** The parts that write and send mails. */
export interface MailsOptions {
  readonly options: Configuration
  readonly limits: Limits
  readonly store: AlertStore
  readonly links: AlertLinks
  readonly users: Pick<TrustedDevices['users'], 'find'>
  readonly logger: Logger
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

const POLL_INTERVAL = 30 // Seconds.
const MAX_TOGETHER = 500 // A mail about more sign-ins leaves the rest to the next mail.
const MAX_ATTEMPTS = 100 // More than a day has room for.
const FIRST_PAUSE = 30_000
const HOUR = 3_600_000
const GIVE_UP_AFTER = 24 * HOUR

/** Decides when users get mails, and sends them. Its state is in the database of all nodes. */
export class Mails {
  /** One job per alert. One mail is about all waiting jobs of a user. */
  readonly queue: Queue<null>
  readonly #parts: MailsOptions
  #sent = 0

  constructor(parts: MailsOptions) {
    this.#parts = parts
    const { store, limits, clock, logger } = parts
    const onError = (error: unknown): void => logger.error(FAILED, error)
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
      write: () => '', // The alert has everything.
      read: () => null,
      clock,
      random: Math.random,
      attempts: MAX_ATTEMPTS,
      timeout: limits.sendTimeout,
      interval: POLL_INTERVAL,
      retention: retentionOf(limits) / 1000,
      onPrune: (before) => store.prune(before),
      onError,
    })
  }

  /**
   * Stores an alert, unless it is stored already. Begins to send its mail, and does not wait for it.
   */
  async add(alert: Alert): Promise<void> {
    await this.#parts.store.forUser(alert.userId, (tx) => this.#addIn(tx, alert))
    void this.queue.deliver(alert.userId)
  }

  /** Sends the mails that are due. @returns how many it sent */
  async sendDue(): Promise<number> {
    await this.queue.settle()
    const before = this.#sent
    await this.queue.runDue()
    return this.#sent - before
  }

  async #addIn(tx: SqlExecutor, alert: Alert): Promise<void> {
    const { store, clock } = this.#parts
    const { eventId: id, userId: key, kind } = alert
    if (!(await store.insert(tx, alert))) return
    const job = { id, key, kind, payload: null, createdAt: clock() }
    await this.queue.add(tx, [job])
  }

  /**
   * Sends one mail about alerts of one user, if the hour has room for it. A mail that is slow may
   * still be sent, so it counts.
   *
   * @throws the error of the database
   */
  async #send(eventIds: readonly string[]): Promise<Outcome> {
    const { store, clock, limits, logger } = this.#parts
    const [lead, ...more] = (await store.find(eventIds)).sort(bySeverity)
    if (!lead) return { kind: 'done' } // They were erased.
    const until = await this.#reserve(lead)
    if (until !== null) return { kind: 'defer', until }
    const sending = this.#attempt(lead, more)
    // The application's users and its mail server may never answer. Others must not wait.
    const slow = `It has not been sent after ${limits.sendTimeout} s.`
    const error = await withTimeout(limits.sendTimeout, sending, () => slow)
    if (error === null) return { kind: 'done' }
    if (error === slow) logger.warn(`A login alert is slow (${lead.kind} ${lead.eventId}). ${slow}`)
    else await store.markMailed(lead, lead)
    const newest = Math.max(...[lead, ...more].map(({ happenedAt }) => happenedAt))
    if (newest <= clock() - GIVE_UP_AFTER) return { kind: 'dead', error }
    const late = sending.then((failure) => failure === null)
    return { kind: 'retry', error, after: FIRST_PAUSE, late }
  }

  /**
   * Reserves a place for a mail among those of the last hour.
   *
   * @returns null, or when there is a place again
   */
  #reserve(lead: StoredAlert): Promise<number | null> {
    const { store, clock, limits } = this.#parts
    const { userId } = lead
    const now = clock()
    return store.forUser(userId, async (tx) => {
      const mails = await store.mailsSince(tx, userId, now - HOUR)
      const blocking = mails[limits.mailsPerHour - 1] // When it is an hour old, there is a place.
      if (blocking !== undefined) return blocking + HOUR
      const isRecent = lead.mailedAt !== null && lead.mailedAt > now - HOUR
      await store.markMailed(lead, { mailedAt: now, mails: isRecent ? lead.mails + 1 : 1 }, tx)
      return null
    })
  }

  /** Sends a mail. @returns null, or the error, which is logged */
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

  /** Writes a mail and sends it, unless its user is gone or wants none. */
  async #deliver(lead: StoredAlert, more: readonly StoredAlert[]): Promise<void> {
    const { options, users, store, links, limits } = this.#parts
    const { kind, eventId, userId, happenedAt } = lead
    const user = await users.find(userId)
    const to = user && (await options.to(user))
    if (!user || to === null || to === undefined) return store.markMailed(lead, lead)
    requireAddress(to)
    const mailLinks = {
      wasNotMe: `${options.origin()}${options.basePath}/${links.issue(eventId)}`,
      devices: options.devicesUrl(),
      expiresAt: happenedAt + limits.linkLifetime,
    }
    const content = alertContent(lead, more, mailLinks, options.voiceFor(user))
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

/** Returns the milliseconds for which an alert is kept. */
export function retentionOf({ linkLifetime }: Pick<Limits, 'linkLifetime'>): number {
  return Math.max(linkLifetime, 2 * GIVE_UP_AFTER)
}

const FAILED = 'A login alert could not be sent.'

/** Sorts the most serious first; of the same kind, the newest. */
function bySeverity(a: Alert, b: Alert): number {
  return (
    ALERT_KINDS.indexOf(a.kind) - ALERT_KINDS.indexOf(b.kind) ||
    b.happenedAt - a.happenedAt ||
    (a.eventId < b.eventId ? 1 : -1)
  )
}

/** A user who chooses an address must not choose headers or other recipients with it. */
function requireAddress(to: unknown): asserts to is string {
  const isAddress =
    typeof to === 'string' &&
    to.length <= 320 &&
    /^[^\s\p{Cc},;:<>()"]+@[^\s\p{Cc},;:<>()"]+$/u.test(to)
  if (isAddress) return
  const problem = 'must give one bare address such as "ada@example.com", or null'
  throw new ConfigurationError('to', problem)
}
