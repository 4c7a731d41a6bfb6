import { createHash } from 'node:crypto'
import { escapeHtml } from '@quillgate/server/core'
import type { StoredAlert } from '../alert-store.ts'
import { fill, plural } from '../mail/alert-languages.ts'
import { type AlertContext, describeAlert } from '../mail/describe-alert.ts'

/** The values that all pages need. */
export interface PageParts {
  readonly devicesUrl: string | null
  readonly context: AlertContext
}

/** Returns the page that asks whether the user signed in. */
export function questionPage(
  { context }: PageParts,
  alert: StoredAlert,
  form: { readonly token: string; readonly action: string },
): Response {
  const { strings } = context.language
  const intro = alert.kind === 'compromised' ? strings.subjectCompromised : strings.pageQuestion
  return htmlPage(context, 200, strings.pageTitle, [
    paragraph(fill(intro, { app: context.appName })),
    facts(alert, context),
    `<form method="post" action="${escapeHtml(form.action)}">
<input type="hidden" name="token" value="${escapeHtml(form.token)}">
<button aria-describedby="about">${escapeHtml(strings.wasNotMe)}</button>
<p id="about">${escapeHtml(strings.pageNotMe)}</p>
</form>`,
    paragraph(alert.kind === 'compromised' ? '' : strings.ifYou),
  ])
}

/** Returns the page after a report. @param revoked null if the alert was reported before */
export function reportedPage(parts: PageParts, revoked: number | null): Response {
  const { language } = parts.context
  const { strings } = language
  const done =
    revoked === null ? strings.alreadyReported : plural(language, strings.reported, revoked)
  return htmlPage(parts.context, 200, strings.reportedTitle, [
    paragraph(done, ' role="status"'),
    paragraph(strings.reportedNext),
    devicesLink(parts),
  ])
}

const STATUSES = { expired: 410, invalid: 404, failed: 500 } as const

/** Returns the page about an unusable link or an error. @param init status and further headers */
export function noticePage(
  parts: PageParts,
  notice: keyof typeof STATUSES,
  init: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const { context } = parts
  const { strings } = context.language
  const body = [paragraph(fill(strings[notice], { app: context.appName })), devicesLink(parts)]
  const { status = STATUSES[notice], headers } = init
  return htmlPage(context, status, strings[`${notice}Title`], body, headers)
}

function facts(alert: StoredAlert, context: AlertContext): string {
  const { strings } = context.language
  const { device, place, time, datetime } = describeAlert(alert, context)
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

function devicesLink({ devicesUrl, context }: PageParts): string {
  if (devicesUrl === null) return ''
  const label = escapeHtml(context.language.strings.yourDevices)
  return `<p><a href="${escapeHtml(devicesUrl)}">${label}</a></p>`
}

const STYLE = `:root{color-scheme:light dark;--ink:#17201f;--soft:#55625f;--paper:#f2f4f3;--card:#fff;--line:#d9dedc;--danger:#b3261e;--on-danger:#fff;--focus:#0b5a8a}
@media (prefers-color-scheme:dark){:root{--ink:#e8ecea;--soft:#a9b5b3;--paper:#14191a;--card:#1d2425;--line:#36403f;--danger:#ff8a80;--on-danger:#2a0605;--focus:#7fd0ff}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
main{max-width:34rem;margin:clamp(0rem,6vh,4rem) auto;padding:clamp(1.25rem,5vw,2rem);background:var(--card);border:1px solid var(--line);border-radius:12px;overflow-wrap:anywhere}
.app{margin:0 0 .5rem;color:var(--soft);font-weight:600}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}
p{margin:0 0 1rem}
dl{margin:0 0 1.5rem;border-top:1px solid var(--line)}
dl div{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.6rem 0;border-bottom:1px solid var(--line)}
dt{flex:0 0 5rem;color:var(--soft)}
dd{flex:1 1 12rem;margin:0;font-weight:600}
form{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;margin:0 0 1rem}
form p{flex:1 1 14rem;margin:0;color:var(--soft);font-size:.9375rem}
button{flex:0 0 auto;min-width:11rem;min-height:2.75rem;padding:.5rem 1.25rem;font:inherit;font-weight:600;color:var(--on-danger);background:var(--danger);border:1px solid var(--danger);border-radius:8px;cursor:pointer}
button:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
a{color:var(--focus)}
main>:last-child{margin-bottom:0}
@media (max-width:26rem){body{padding:.75rem}button{width:100%}}
@media (forced-colors:active){button{border-width:3px}}`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

// The address of the page is a secret, and the page shows personal data. The page is therefore not
// cached, sends no referrer, cannot be framed, and loads nothing.
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
}

/** Returns a page that loads no other files. @param parts escaped HTML below the heading */
function htmlPage(
  { language: { locale }, appName }: AlertContext,
  status: number,
  title: string,
  parts: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  const html = `<!doctype html>
<html lang="${escapeHtml(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)} · ${escapeHtml(appName)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="app">${escapeHtml(appName)}</p>
<h1>${escapeHtml(title)}</h1>
${parts.filter(Boolean).join('\n')}
</main>
</body>
</html>
`
  return new Response(html, { status, headers: { ...headers, ...HEADERS } })
}
