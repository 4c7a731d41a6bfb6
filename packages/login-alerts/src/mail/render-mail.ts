import { escapeHtml } from '@quillgate/server/core'
import type { AlertContent } from './alert-content.ts'

/** Returns the plain text of a mail. */
export function mailText(content: AlertContent): string {
  const { intro, facts, previously, more, ifNotYou, ifYou, wasNotMe, devices, notes } = content
  const linkOf = ({ label, url }: Link): string => `${label}:\n${url}`
  const parts = [
    intro,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    previously,
    more && [more.title, ...more.lines.map((line) => `- ${line}`)].join('\n'),
    ifNotYou,
    linkOf(wasNotMe),
    ifYou,
    devices && linkOf(devices),
    `-- \n${notes.join('\n')}`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

type Link = AlertContent['wasNotMe']

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

// Mail programs that do not support media queries show the light colors or invert them.
const STYLE = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.qg-page{background:#14191a!important}
.qg-card{background:#1d2425!important;border-color:#36403f!important}
.qg-text{color:#e8ecea!important}
.qg-soft{color:#a9b5b3!important}
.qg-line{border-color:#36403f!important}
.qg-link{color:#7fd0ff!important}
.qg-danger{background:#ff8a80!important}
.qg-danger a{color:#2a0605!important}
}`

/** Returns HTML with tables and inline styles, because mail programs support little else. */
export function mailHtml(content: AlertContent): string {
  const { locale, subject, intro } = content
  return `<!doctype html>
<html lang="${escapeHtml(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(subject)}</title>
<style>${STYLE}</style>
</head>
<body class="qg-page" style="margin:0;padding:0;background:#f2f4f3">
<div role="article" aria-roledescription="email" lang="${escapeHtml(locale)}" aria-label="${escapeHtml(subject)}">
<table role="presentation" class="qg-page" width="100%" cellpadding="0" cellspacing="0" style="background:#f2f4f3">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
<tr><td class="qg-card" style="padding:28px 24px;background:#ffffff;border:1px solid #d9dedc;border-radius:12px">
<h1 class="qg-text" style="margin:0 0 12px;${FONT};font-size:20px;line-height:1.35;font-weight:700;color:#17201f;overflow-wrap:anywhere">${escapeHtml(subject)}</h1>
${paragraph(intro)}
${factTable(content)}
${further(content)}
${actions(content)}
</td></tr>
<tr><td style="padding:16px 24px">
${content.notes.map((note) => paragraph(note, 'qg-soft', 13)).join('\n')}
</td></tr>
</table>
</td></tr>
</table>
</div>
</body>
</html>
`
}

function paragraph(text: string, tone: 'qg-text' | 'qg-soft' = 'qg-text', size = 16): string {
  const colour = tone === 'qg-text' ? '#17201f' : '#55625f'
  return `<p class="${tone}" style="margin:0 0 16px;${FONT};font-size:${size}px;line-height:1.5;color:${colour};overflow-wrap:anywhere">${escapeHtml(text)}</p>`
}

function factTable({ facts, previously }: AlertContent): string {
  const cell = `padding:10px 0;${FONT};font-size:16px;line-height:1.4;text-align:left;vertical-align:top;border-top:1px solid #d9dedc`
  const rows = facts.map(
    ([label, value]) => `<tr>
<th scope="row" class="qg-soft qg-line" style="${cell};padding-right:16px;font-weight:400;color:#55625f;white-space:nowrap">${escapeHtml(label)}</th>
<td class="qg-text qg-line" width="100%" style="${cell};font-weight:600;color:#17201f;overflow-wrap:anywhere">${escapeHtml(value)}</td>
</tr>`,
  )
  const table = `<table width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px">\n${rows.join('\n')}\n</table>`
  return previously === null ? table : `${table}\n${paragraph(previously, 'qg-soft', 14)}`
}

function further({ more }: AlertContent): string {
  if (!more) return ''
  const items = more.lines.map(
    (line) => `<li style="margin:0 0 6px;overflow-wrap:anywhere">${escapeHtml(line)}</li>`,
  )
  return `${paragraph(more.title)}
<ul class="qg-text" style="margin:0 0 16px;padding-left:20px;${FONT};font-size:14px;line-height:1.5;color:#17201f">
${items.join('\n')}
</ul>`
}

function actions({ ifNotYou, ifYou, wasNotMe, devices }: AlertContent): string {
  const link =
    devices &&
    `<p style="margin:20px 0 0;${FONT};font-size:15px;line-height:1.5"><a class="qg-link" href="${escapeHtml(devices.url)}" style="color:#0b5a8a;text-decoration:underline">${escapeHtml(devices.label)}</a></p>`
  const parts = [paragraph(ifNotYou), button(wasNotMe), ifYou && paragraph(ifYou), link]
  return parts.filter(Boolean).join('\n')
}

function button({ label, url }: Link): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 20px;border-collapse:separate"><tr><td class="qg-danger" style="background:#b3261e;border:1px solid #b3261e;border-radius:8px"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 22px;${FONT};font-size:16px;line-height:1.25;font-weight:600;color:#ffffff;text-decoration:none">${escapeHtml(label)}</a></td></tr></table>`
}
