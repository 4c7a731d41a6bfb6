import { ConfigurationError, type Logger, withTimeout } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { type Outcome, Queue } from '@quillgate/server/jobs'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import { ALERT_KINDS, type Alert, mayMute } from './alert.ts'
import type { AlertStore, StoredAlert } from './alert-store.ts'
import type { AlertLinks } from './link.ts'
import { alertContent, type MailLinks } from './mail/alert-content.ts'
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
  /** Milliseconds for which cities are kept; null: as long as their alert. */
  readonly cityAge: number | null
}

const LANE = 'mail'
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
    const { store, limits, clock, logger, cityAge } = parts
    const retention = Math.max(limits.linkLifetime, 2 * GIVE_UP_AFTER)
    const onError = (error: unknown): void => logger.error(FAILED, error)
    this.queue = new Queue<null>({
      table: store.mails,
      executor: store.relaxed,
      lanes: [
        {
          name: LANE,
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
      ],
      write: () => '', // The alert has everything.
      read: () => null,
      clock,
      random: Math.random,
      attempts: MAX_ATTEMPTS,
      timeout: limits.sendTimeout,
      interval: POLL_INTERVAL,
      retention: retention / 1000,
      onPrune(before) {
        const now = clock()
        return store.prune(before, cityAge === null ? 0 : now - cityAge, now)
      },
      onError,
    })
  }

  /**
   * Stores an alert, unless it is stored already or muted. Begins to send its mail, and does not
   * wait for it.
   */
  async add(alert: Alert): Promise<void> {
    await this.#parts.store.forUser(alert.userId, (tx) => this.#addIn(tx, alert))
    void this.queue.deliver({ lane: LANE, key: alert.userId })
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
    const { eventId, userId, scope, kind } = alert
    const now = clock()
    if (kind !== 'compromised' && (await store.isMuted(tx, userId, scope, now))) return
    if (!(await store.insert(tx, alert))) return
    const job = { id: eventId, lane: LANE, key: userId, kind, payload: null, createdAt: now }
    await this.queue.add(tx, [job])
  }

  /**
   * Sends one mail about alerts of one user, if the hour has room for it.
   *
   * @throws the error of the database
   */
  async #send(eventIds: readonly string[]): Promise<Outcome> {
    const { store, clock, limits, logger } = this.#parts
    const [lead, ...more] = (await store.find(eventIds)).sort(bySeverity)
    if (!lead) return { kind: 'done' } // They were erased.
    const until = await this.#reserve(lead, more)
    if (until !== null) return { kind: 'defer', until }
    const release = (): Promise<void> => store.markMailed([lead.eventId], { mailedAt: null })
    try {
      // The application's users and its mail server may never answer. Others must not wait.
      const isSent = await withTimeout(limits.sendTimeout, this.#deliver(lead, more), () => {
        throw new Error(`It took longer than ${limits.sendTimeout} s.`)
      })
      if (!isSent) await release()
      return { kind: 'done' }
    } catch (error) {
      logger.error(`A login alert could not be sent (${lead.kind} ${lead.eventId}).`, error)
      await release()
      const newest = Math.max(...[lead, ...more].map(({ happenedAt }) => happenedAt))
      return newest > clock() - GIVE_UP_AFTER
        ? { kind: 'retry', error: String(error), after: FIRST_PAUSE }
        : { kind: 'dead', error: String(error) }
    }
  }

  /**
   * Reserves a place for a mail among those of the last hour.
   *
   * @returns null, or when there is a place again
   */
  #reserve(lead: StoredAlert, more: readonly StoredAlert[]): Promise<number | null> {
    const { store, clock, limits } = this.#parts
    const { eventId, userId } = lead
    const ids = [lead, ...more].map((alert) => alert.eventId)
    const now = clock()
    return store.forUser(userId, async (tx) => {
      const mails = await store.mailsSince(tx, userId, now - HOUR, ids)
      const blocking = mails[limits.mailsPerHour - 1] // When it is an hour old, there is a place.
      // A process that was killed may have left a reservation.
      await store.markMailed(ids, { mailedAt: null }, tx)
      if (blocking !== undefined) return blocking + HOUR
      await store.markMailed([eventId], { mailedAt: now, isSummary: more.length > 0 }, tx)
      return null
    })
  }

  /** Writes a mail and sends it. Returns false if its user is gone or wants none. */
  async #deliver(lead: StoredAlert, more: readonly StoredAlert[]): Promise<boolean> {
    const { options, users } = this.#parts
    const user = await users.find(lead.userId)
    const to = user && (await options.to(user))
    if (!user || to === null || to === undefined) return false
    requireAddress(to)
    const links = this.#linksFor(lead, more.length > 0)
    const content = alertContent(lead, more, links, options.voiceFor(user))
    const { kind, eventId, userId } = lead
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
    return true
  }

  #linksFor({ kind, eventId, happenedAt }: StoredAlert, isSummary: boolean): MailLinks {
    const { links, options, limits } = this.#parts
    const url = `${options.origin()}${options.basePath}/${links.issue(eventId)}`
    return {
      wasNotMe: url,
      wasMe: mayMute(kind, isSummary) ? `${url}?was=me` : null,
      devices: options.devicesUrl(),
      expiresAt: happenedAt + limits.linkLifetime,
    }
  }
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
