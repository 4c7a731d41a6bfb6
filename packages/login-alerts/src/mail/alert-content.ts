import type { Alert } from '../alert.ts'
import { fill, plural } from './alert-languages.ts'
import {
  type AlertDescription,
  type AlertVoice,
  describeAlert,
  timeName,
} from './describe-alert.ts'
import { subjectLine } from './plain-text.ts'

/** Where the links of a mail lead. */
export interface MailLinks {
  readonly wasNotMe: string
  /** Null where there is nothing to mute. */
  readonly wasMe: string | null
  readonly devices: string | null
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** What a mail tells. */
export interface AlertMessage {
  /** The event that it leads with. */
  readonly lead: Alert
  /** Further ones, newest first. */
  readonly more: readonly Alert[]
  /** How many further ones there are; `more` may be some of them. */
  readonly moreCount: number
  readonly links: MailLinks
  /** Whether "this wasn't me" signs only the one device out. */
  readonly isForOneDevice: boolean
}

/** A mail in words: what its text and its HTML both say. */
export interface AlertContent {
  readonly locale: string
  readonly subject: string
  readonly intro: string
  /** Label and value. */
  readonly facts: readonly (readonly [label: string, value: string])[]
  readonly previously: string | null
  /** Null when there is only one sign-in to tell of. */
  readonly more: { readonly title: string; readonly lines: readonly string[] } | null
  readonly ifNotYou: string
  readonly ifYou: string | null
  readonly wasNotMe: Link
  readonly wasMe: Link | null
  readonly devices: Link | null
  readonly notes: readonly string[]
}

/** A link and its words. */
export interface Link {
  readonly label: string
  readonly url: string
}

/** Puts a mail into words. */
export function alertContent(message: AlertMessage, voice: AlertVoice): AlertContent {
  const { lead, more, moreCount, links, isForOneDevice } = message
  const { language, appName: app } = voice
  const { strings } = language
  const shown = describeAlert(lead, voice)
  const values = { app, device: shown.device, country: shown.country }
  const { subject, intro } = headOf(lead, voice)
  const filled = fill(subject, values)
  return {
    locale: language.locale,
    subject: subjectLine(
      moreCount > 0
        ? plural(language, strings.subjectMore, moreCount, { subject: filled })
        : filled,
    ),
    intro: fill(intro, values),
    facts: [
      [strings.labelDevice, shown.device],
      [strings.labelPlace, shown.place],
      [strings.labelTime, shown.time],
    ],
    previously: shown.previously,
    more: moreCount > 0 ? furtherOf(more, moreCount, voice) : null,
    ifNotYou: isForOneDevice ? strings.ifNotYouOne : strings.ifNotYou,
    ifYou: lead.kind === 'compromised' ? null : strings.ifYou,
    wasNotMe: { label: strings.wasNotMe, url: links.wasNotMe },
    wasMe: links.wasMe === null ? null : { label: strings.wasMe, url: links.wasMe },
    devices: links.devices === null ? null : { label: strings.yourDevices, url: links.devices },
    notes: [
      fill(strings.linksUntil, { date: timeName(voice, links.expiresAt) }),
      fill(strings.whyThisMail, { app }),
    ],
  }
}

function headOf(
  { kind, details }: Alert,
  { language: { strings } }: AlertVoice,
): { subject: string; intro: string } {
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

function furtherOf(more: readonly Alert[], count: number, voice: AlertVoice): AlertContent['more'] {
  const { language } = voice
  const { more: title, moreUnlisted } = language.strings
  const lines = more.map((event) => lineOf(describeAlert(event, voice)))
  const left = count - more.length
  if (left > 0) lines.push(plural(language, moreUnlisted, left))
  return { title: plural(language, title, count), lines }
}

const lineOf = ({ device, place, time }: AlertDescription): string =>
  `${device} · ${place} · ${time}`
