import { ConfigurationError, type Logger, withTimeout } from '@quillgate/server/core'
import type { Outcome } from '@quillgate/server/jobs'
import type { TrustedDevices } from '@quillgate/trusted-devices'
import { ALERT_KINDS, type Alert, isForOneDevice } from './alert.ts'
import type { AlertStore, StoredAlert } from './alert-store.ts'
import type { AlertLinks } from './link.ts'
import { alertContent, type MailLinks } from './mail/alert-content.ts'
import { mailHtml, mailText } from './mail/render-mail.ts'
import type { AlertMail, Configuration, Limits } from './options.ts'
import { reservePlace } from './queue.ts'

/** The parts that write and send mails. */
export interface SendParts {
  readonly options: Configuration
  readonly limits: Limits
  readonly store: AlertStore
  readonly links: AlertLinks
  readonly users: Pick<TrustedDevices['users'], 'find'>
  readonly logger: Logger
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Called after a mail was sent. */
  readonly onSent: () => void
}

const SHOWN = 10
const FIRST_PAUSE = 30_000
const GIVE_UP_AFTER = 86_400_000

/**
 * Sends one mail about alerts of one user, if the hour has room for it. @throws what the database
 * threw
 */
export async function sendMail(parts: SendParts, eventIds: readonly string[]): Promise<Outcome> {
  const { store, clock, limits, logger } = parts
  const [lead, ...more] = (await store.find(eventIds)).sort(bySeverity)
  if (!lead) return { kind: 'done' } // They were erased.
  const until = await reservePlace(store, [lead, ...more], limits.mailsPerHour, clock())
  if (until !== null) return { kind: 'defer', until }
  try {
    // The users of the application and its mail server may never answer. Others must not wait.
    const isSent = await withTimeout(limits.sendTimeout, deliver(parts, lead, more), () => {
      throw new Error(`It took longer than ${limits.sendTimeout} s.`)
    })
    if (!isSent) await store.markMailed([lead.eventId], { mailedAt: null })
    return { kind: 'done' }
  } catch (error) {
    logger.error(`A login alert could not be sent (${lead.kind} ${lead.eventId}).`, error)
    await store.markMailed([lead.eventId], { mailedAt: null })
    const isRecent = ({ happenedAt }: Alert): boolean => happenedAt > clock() - GIVE_UP_AFTER
    return [lead, ...more].some(isRecent)
      ? { kind: 'retry', error: String(error), after: FIRST_PAUSE }
      : { kind: 'dead', error: String(error) }
  }
}

/** The most serious first; of the same kind, the newest. */
function bySeverity(a: Alert, b: Alert): number {
  return (
    ALERT_KINDS.indexOf(a.kind) - ALERT_KINDS.indexOf(b.kind) ||
    b.happenedAt - a.happenedAt ||
    (a.eventId < b.eventId ? 1 : -1)
  )
}

/** Writes a mail and sends it. Returns false if its user is gone or wants none. */
async function deliver(
  parts: SendParts,
  lead: StoredAlert,
  more: readonly StoredAlert[],
): Promise<boolean> {
  const { options, users, onSent } = parts
  const user = await users.find(lead.userId)
  const to = user && (await options.to(user))
  if (!user || to === null || to === undefined) return false
  requireAddress(to)
  const isSummary = more.length > 0
  const content = alertContent(
    {
      lead,
      more: more.slice(0, SHOWN),
      moreCount: more.length,
      links: linksFor(parts, lead, isSummary),
      isForOneDevice: isForOneDevice({ kind: lead.kind, isSummary }, options.reportRevokes),
    },
    options.voiceFor(user),
  )
  const mail: AlertMail = {
    to,
    subject: content.subject,
    text: mailText(content),
    html: mailHtml(content),
    headers: { 'Auto-Submitted': 'auto-generated' },
    kind: lead.kind,
    eventId: lead.eventId,
    userId: lead.userId,
  }
  await options.send(mail)
  onSent()
  return true
}

function linksFor(
  { links, options, limits }: SendParts,
  { kind, eventId, happenedAt }: StoredAlert,
  isSummary: boolean,
): MailLinks {
  const url = `${options.origin()}${options.basePath}/${links.issue(eventId)}`
  return {
    wasNotMe: url,
    // An answer about several sign-ins would be about none in particular.
    wasMe: kind === 'compromised' || isSummary ? null : `${url}?was=me`,
    devices: options.devicesUrl(),
    expiresAt: happenedAt + limits.linkLifetime,
  }
}

/** A user who chooses an address must not choose headers or other recipients with it. */
function requireAddress(to: unknown): asserts to is string {
  const isAddress =
    typeof to === 'string' &&
    to.length <= 320 &&
    /^[^\s\p{Cc},;:<>()"]+@[^\s\p{Cc},;:<>()"]+$/u.test(to)
  if (!isAddress)
    throw new ConfigurationError(
      'to',
      'must give one bare address such as "ada@example.com", or null',
    )
}
