import { withTimeout } from '@quillgate/server/core'
import type { Outcome } from '@quillgate/server/jobs'
import { deviceError } from '../errors.ts'
import { isForOneDevice } from './alert-answers.ts'
import { ALERT_KINDS, type AlertEvent } from './alert-event.ts'
import type { AlertMail } from './alert-options.ts'
import type { AlertParts } from './alerts.ts'
import { alertContent, type MailLinks } from './mail/alert-content.ts'
import { mailHtml, mailText } from './mail/render-mail.ts'

/** The content of one mail. */
interface WaitingMail {
  readonly lead: AlertEvent
  /** The most serious and newest of the others. */
  readonly more: readonly AlertEvent[]
  readonly moreCount: number
}

const SHOWN = 10
const FIRST_PAUSE = 30_000
const GIVE_UP_AFTER = 86_400_000

/**
 * Sends one mail about alerts of one user, if the hour has room for it. @throws what the database
 * threw
 */
export async function sendMail(parts: AlertParts, eventIds: readonly string[]): Promise<Outcome> {
  const { table, queue, executor, clock } = parts
  const alerts = (await table.find(executor, eventIds)).sort(bySeverity)
  const [lead, ...more] = alerts
  if (!lead) return { kind: 'done' } // They were erased.
  const until = await queue.reserve(lead, alerts)
  if (until !== null) return { kind: 'defer', until }
  const mail = { lead, more: more.slice(0, SHOWN), moreCount: more.length }
  try {
    const state = await inTime(parts.policy.sendTimeout, deliver(parts, mail))
    if (state === 'skipped') await table.setMailedAt(executor, [lead.eventId], null)
    await table.setState(executor, eventIds, state)
    return { kind: 'done' }
  } catch (error) {
    parts.onError(error, lead)
    await table.setMailedAt(executor, [lead.eventId], null)
    const isRecent = ({ happenedAt }: AlertEvent): boolean => happenedAt > clock() - GIVE_UP_AFTER
    if (alerts.some(isRecent)) return { kind: 'retry', error: String(error), after: FIRST_PAUSE }
    await table.setState(executor, eventIds, 'failed')
    return { kind: 'dead', error: String(error) }
  }
}

/** The most serious first; of the same kind, the newest. */
function bySeverity(a: AlertEvent, b: AlertEvent): number {
  return (
    ALERT_KINDS.indexOf(a.kind) - ALERT_KINDS.indexOf(b.kind) ||
    b.happenedAt - a.happenedAt ||
    (a.eventId < b.eventId ? 1 : -1)
  )
}

async function deliver(parts: AlertParts, mail: WaitingMail): Promise<'sent' | 'skipped'> {
  const written = await writeMail(parts, mail)
  if (!written) return 'skipped'
  await parts.policy.send(written)
  parts.onSent()
  return 'sent'
}

/**
 * The users of the application and its mail server may never answer. Others must not wait for them.
 */
function inTime<Result>(seconds: number, work: Promise<Result>): Promise<Result> {
  return withTimeout(seconds, work, () => {
    throw new Error(`It took longer than alerts.sendTimeout, ${seconds} s.`)
  })
}

/** Returns the mail, or null if its user is gone or wants none. */
async function writeMail(
  { policy, users, ...parts }: AlertParts,
  mail: WaitingMail,
): Promise<AlertMail | null> {
  const { lead, more, moreCount } = mail
  const user = await users.find(lead.userId)
  const to = user && ((await policy.to(user)) ?? null)
  if (!user || to === null) return null
  requireAddress(to)
  const isForOne = isForOneDevice(
    { kind: lead.kind, isSummary: moreCount > 0 },
    policy.reportRevokes,
  )
  const message = {
    lead,
    more,
    moreCount,
    links: linksFor({ policy, ...parts }, mail),
    isForOneDevice: isForOne,
  }
  const content = alertContent(message, policy.voiceFor(user))
  return {
    to,
    subject: content.subject,
    text: mailText(content),
    html: mailHtml(content),
    headers: { 'Auto-Submitted': 'auto-generated' },
    kind: lead.kind,
    eventId: lead.eventId,
    userId: lead.userId,
  }
}

function linksFor(
  { links, policy, urlOf }: Pick<AlertParts, 'links' | 'policy' | 'urlOf'>,
  { lead, moreCount }: WaitingMail,
): MailLinks {
  const { kind, eventId, deviceUid, scope, userId, happenedAt } = lead
  const expiresAt = happenedAt + policy.linkLifetime
  const isSummary = moreCount > 0
  const url = urlOf(links.issue({ kind, isSummary, eventId, deviceUid, scope, expiresAt, userId }))
  return {
    wasNotMe: url,
    // An answer about several sign-ins would be about none in particular.
    wasMe: kind === 'compromised' || isSummary ? null : `${url}?was=me`,
    devices: policy.devicesUrl(),
    expiresAt,
  }
}

/** A user who chooses an address must not choose headers or other recipients with it. */
function requireAddress(to: unknown): asserts to is string {
  if (
    typeof to === 'string' &&
    to.length <= 320 &&
    /^[^\s\p{Cc},;:<>()"]+@[^\s\p{Cc},;:<>()"]+$/u.test(to)
  )
    return
  throw deviceError(
    'invalid_mail_address',
    'alerts.to must give one bare address such as "ada@example.com", or null.',
  )
}
