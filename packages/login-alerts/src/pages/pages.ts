import { escapeHtml } from '@quillgate/server/core'
import type { StoredAlert } from '../alert-store.ts'
import { fill, plural } from '../mail/alert-languages.ts'
import { type AlertVoice, describeAlert } from '../mail/describe-alert.ts'
import { htmlPage } from './html-page.ts'

/** The values that all pages need. */
export interface PageParts {
  readonly devicesUrl: string | null
  readonly voice: AlertVoice
}

/** Returns the page with the question. The user must confirm, because programs open links too. */
export function questionPage(
  { voice }: PageParts,
  alert: StoredAlert,
  form: { readonly token: string; readonly action: string },
): Response {
  const { strings } = voice.language
  const intro = alert.kind === 'compromised' ? strings.subjectCompromised : strings.pageQuestion
  return htmlPage(voice, 200, strings.pageTitle, [
    paragraph(fill(intro, { app: voice.appName })),
    facts(alert, voice),
    `<form method="post" action="${escapeHtml(form.action)}">
<input type="hidden" name="token" value="${escapeHtml(form.token)}">
<button aria-describedby="about">${escapeHtml(strings.wasNotMe)}</button>
<p id="about">${escapeHtml(strings.pageNotMe)}</p>
</form>`,
    paragraph(alert.kind === 'compromised' ? '' : strings.ifYou),
  ])
}

/**
 * Returns the page after a report. @param revoked null if the user had already reported the alert
 */
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

const STATUSES = { expired: 410, invalid: 404, failed: 500 } as const

/** Returns the page that says why nothing was done. @param init another status, and headers */
export function noticePage(
  parts: PageParts,
  notice: keyof typeof STATUSES,
  init: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const { voice } = parts
  const { strings } = voice.language
  const body = [paragraph(fill(strings[notice], { app: voice.appName })), devicesLink(parts)]
  const { status = STATUSES[notice], headers } = init
  return htmlPage(voice, status, strings[`${notice}Title`], body, headers)
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
  return text === '' ? '' : `<p${attributes}>${escapeHtml(text)}</p>`
}

function devicesLink({ devicesUrl, voice }: PageParts): string {
  if (devicesUrl === null) return ''
  const label = escapeHtml(voice.language.strings.yourDevices)
  return `<p><a href="${escapeHtml(devicesUrl)}">${label}</a></p>`
}
