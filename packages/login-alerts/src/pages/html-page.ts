import { createHash } from 'node:crypto'
import { escapeHtml } from '@quillgate/server/core'
import type { AlertVoice } from '../mail/describe-alert.ts'

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

/**
 * The address of the page is a secret, and the page shows personal data. So it is not cached, sends
 * no referrer, cannot be framed, and loads nothing.
 */
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

/** Returns a page that loads nothing. @param parts escaped HTML below the heading */
export function htmlPage(
  { language: { locale }, appName }: AlertVoice,
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
