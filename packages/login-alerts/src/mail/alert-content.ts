import type { Alert } from '../alert.ts'
import { fill, plural } from './alert-languages.ts'
import { type AlertContext, describeAlert, timeName } from './describe-alert.ts'
import { subjectLine } from './names.ts'

/** The texts of a mail. Its plain text and its HTML contain the same texts. */
export type AlertContent = ReturnType<typeof alertContent>

const SHOWN = 10 // The maximum number of further alerts that a mail describes.

/** Returns the texts of a mail. @param lead the most serious alert */
export function alertContent(
  lead: Alert,
  more: readonly Alert[],
  links: { wasNotMe: string; devices: string | null; expiresAt: number },
  context: AlertContext,
) {
  const { language, appName: app } = context
  const { strings } = language
  const shown = describeAlert(lead, context)
  const values = { app, device: shown.device, country: shown.country }
  const head = headOf(lead, context)
  const subject = fill(head.subject, values)
  return {
    locale: language.locale,
    subject: subjectLine(
      more.length > 0 ? plural(language, strings.subjectMore, more.length, { subject }) : subject,
    ),
    intro: fill(head.intro, values),
    facts: [
      [strings.labelDevice, shown.device],
      [strings.labelPlace, shown.place],
      [strings.labelTime, shown.time],
    ] as const,
    previously: shown.previously,
    more: more.length > 0 ? furtherOf(more, context) : null,
    ifNotYou: strings.ifNotYou,
    ifYou: lead.kind === 'compromised' ? null : strings.ifYou,
    wasNotMe: { label: strings.wasNotMe, url: links.wasNotMe },
    devices: links.devices === null ? null : { label: strings.yourDevices, url: links.devices },
    notes: [
      fill(strings.linksUntil, { date: timeName(context, links.expiresAt) }),
      fill(strings.whyThisMail, { app }),
    ],
  }
}

function headOf({ kind, details }: Alert, { language: { strings } }: AlertContext) {
  if (kind === 'compromised') {
    const isReplay = details.reason === 'refresh_token_reused'
    return {
      subject: strings.subjectCompromised,
      intro: isReplay ? strings.introTokenReused : strings.introCredentialReused,
    }
  }
  if (kind === 'new_device')
    return { subject: strings.subjectNewDevice, intro: strings.introNewDevice }
  return { subject: strings.subjectNewCountry, intro: strings.introNewCountry }
}

function furtherOf(more: readonly Alert[], context: AlertContext) {
  const { language } = context
  const { more: title, moreUnlisted } = language.strings
  const lines = more.slice(0, SHOWN).map((alert) => {
    const { device, place, time } = describeAlert(alert, context)
    return `${device} · ${place} · ${time}`
  })
  const left = more.length - lines.length
  if (left > 0) lines.push(plural(language, moreUnlisted, left))
  return { title: plural(language, title, more.length), lines }
}
