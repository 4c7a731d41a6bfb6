import { withTimeout } from '@quillgate/server/core'
import { deviceError } from '../errors.ts'
import { isForOneDevice } from './alert-answers.ts'
import type { AlertMail } from './alert-options.ts'
import type { WaitingMail } from './alert-queue.ts'
import type { AlertParts } from './alerts.ts'
import { alertContent, type MailLinks } from './mail/alert-content.ts'
import { mailHtml, mailText } from './mail/render-mail.ts'

/**
 * Sends what waits for a user, as far as the hour has room. Never rejects: a mail that fails waits for its next try.
 *
 * @returns how many mails were sent
 */
export async function sendTo(parts: AlertParts, userId: string): Promise<number> {
  let sent = 0
  try {
    for (let mail = await parts.queue.take(userId); mail; mail = await parts.queue.take(userId)) {
      const result = await sendOne(parts, mail)
      if (result === 'failed') break
      if (result === 'sent') sent++
    }
  } catch (error) {
    parts.onError(error, null) // The database: what was begun is taken up again when its time is over.
  }
  return sent
}

async function sendOne(
  parts: AlertParts,
  mail: WaitingMail,
): Promise<'sent' | 'skipped' | 'failed'> {
  try {
    const state = await inTime(parts.policy.sendTimeout, deliver(parts, mail))
    await parts.queue.done(mail, state)
    return state
  } catch (error) {
    parts.onError(error, mail.lead)
    await parts.queue.failed(mail)
    return 'failed'
  }
}

async function deliver(parts: AlertParts, mail: WaitingMail): Promise<'sent' | 'skipped'> {
  const written = await writeMail(parts, mail)
  if (!written) return 'skipped'
  await parts.policy.send(written)
  return 'sent'
}

/** The users of the application and its mail server may never answer: others must not wait for them. */
function inTime<Result>(seconds: number, work: Promise<Result>): Promise<Result> {
  return withTimeout(seconds, work, () => {
    throw new Error(`It took longer than alerts.sendTimeout, ${seconds} s.`)
  })
}

/** The mail, or null when its user is gone or wants none. */
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
    // Whoever says so of several sign-ins has hardly looked at each.
    wasMe: kind === 'compromised' || isSummary ? null : `${url}?was=me`,
    devices: policy.devicesUrl(),
    expiresAt,
  }
}

/** Whoever may choose their own address must not choose other headers or recipients with it. */
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
