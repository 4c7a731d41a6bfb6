import { escapeHtml } from '@quillgate/server/core'
import type { StoredAlert } from '../alert-store.ts'
import { fill, plural } from '../mail/alert-languages.ts'
import { type AlertVoice, dayName, describeAlert } from '../mail/describe-alert.ts'
import type { Configuration } from '../options.ts'
import { htmlPage } from './html-page.ts'

/** The parts of a page. */
export interface PageParts {
  readonly options: Pick<Configuration, 'devicesUrl'>
  readonly voice: AlertVoice
}

/** The question on the page of a link. */
export interface Question {
  readonly alert: StoredAlert
  /** The hidden field of the form. */
  readonly token: string
  /** The URL of the form. */
  readonly action: string
  readonly mayMute: boolean
  /** Whether the link "this was me" was chosen. */
  readonly prefersMe: boolean
  /** The end of muting, in milliseconds since the epoch. */
  readonly mutedUntil: number
}

/** Asks before anything is done, because programs open links, too. */
export function questionPage({ voice }: PageParts, question: Question): Response {
  const { alert, prefersMe, mayMute, mutedUntil } = question
  const { strings } = voice.language
  const report = form(question, 'reported', strings.wasNotMe, strings.pageNotMe)
  const me = alert.details.country === null ? strings.pageMeUnknownPlace : strings.pageMe
  const date = dayName(voice, mutedUntil)
  const mute = mayMute ? form(question, 'muted', strings.wasMe, fill(me, { date })) : ''
  const intro = alert.kind === 'compromised' ? strings.subjectCompromised : strings.pageQuestion
  const body = [
    paragraph(fill(intro, { app: voice.appName })),
    facts(alert, voice),
    ...(prefersMe ? [mute, report] : [report, mute]),
  ]
  return htmlPage(voice, 200, strings.pageTitle, body)
}

/** @param revoked the number of devices; null if it was reported before */
export function reportedPage(parts: PageParts, revoked: number | null): Response {
  const { language } = parts.voice
  const { strings } = language
  const done =
    revoked === null ? strings.alreadyReported : plural(language, strings.reported, revoked)
  return htmlPage(parts.voice, 200, strings.reportedTitle, [
    paragraph(done, ' role="status"'),
    paragraph(strings.reportedNext),
    devicesLink(parts),
  ])
}

/**
 * @param until in milliseconds since the epoch
 * @param hasCountry whether the country of the device is known
 */
export function mutedPage(parts: PageParts, until: number, hasCountry: boolean): Response {
  const { strings } = parts.voice.language
  const text = fill(hasCountry ? strings.muted : strings.mutedUnknownPlace, {
    date: dayName(parts.voice, until),
  })
  return htmlPage(parts.voice, 200, strings.mutedTitle, [
    paragraph(text, ' role="status"'),
    devicesLink(parts),
  ])
}

/** Why nothing was done. */
export type Notice = keyof typeof STATUSES

const STATUSES = { expired: 410, invalid: 404, busy: 429, failed: 500 } as const

/** Says why nothing was done. @param init another status, and further headers */
export function noticePage(
  parts: PageParts,
  notice: Notice,
  init: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const { voice } = parts
  const { strings } = voice.language
  const body = [paragraph(fill(strings[notice], { app: voice.appName })), devicesLink(parts)]
  const { status = STATUSES[notice], headers } = init
  return htmlPage(voice, status, strings[`${notice}Title`], body, headers)
}

function form(
  { token, action }: Question,
  answer: 'reported' | 'muted',
  label: string,
  hint: string,
): string {
  const look = answer === 'reported' ? ' class="danger"' : ''
  return `<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button name="answer" value="${answer}"${look} aria-describedby="about-${answer}">${escapeHtml(label)}</button>
<p id="about-${answer}">${escapeHtml(hint)}</p>
</form>`
}

function facts(alert: StoredAlert, voice: AlertVoice): string {
  const { strings } = voice.language
  const { device, place, time, datetime } = describeAlert(alert, voice)
  const rows = [
    [strings.labelDevice, escapeHtml(device)],
    [strings.labelPlace, escapeHtml(place)],
    [strings.labelTime, `<time datetime="${datetime}">${escapeHtml(time)}</time>`],
  ] as const
  return `<dl>\n${rows.map(([label, value]) => `<div><dt>${escapeHtml(label)}</dt><dd>${value}</dd></div>`).join('\n')}\n</dl>`
}

function paragraph(text: string, attributes = ''): string {
  return `<p${attributes}>${escapeHtml(text)}</p>`
}

function devicesLink({ options, voice }: PageParts): string {
  const url = options.devicesUrl()
  return url === null
    ? ''
    : `<p><a href="${escapeHtml(url)}">${escapeHtml(voice.language.strings.yourDevices)}</a></p>`
}
