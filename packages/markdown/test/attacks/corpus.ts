import { addressContexts, contexts } from './contexts.ts'
import { encodings } from './encodings.ts'
import { readPayloads } from './payloads.ts'

export interface Attack {
  /** A description of the payload and its context. It is unique, and the same in every run. */
  readonly id: string
  readonly markdown: string
}

const pieces = [
  'scripts',
  'mutation',
  'broken',
  'attributes',
  'styles',
  'characters',
  'markdown',
] as const

const eventElements: readonly ((event: string) => string)[] = [
  (event) => `<p ${event}=alert(1)>a</p>`,
  (event) => `a <img src=x ${event}="alert(1)">`,
  (event) => `<a href=/b ${event}='alert(1)' autofocus tabindex=1>a</a>`,
  (event) => `<details open ${event}=alert(1)><summary ${event}=alert(1)>a</summary></details>`,
  (event) => `<video src=x ${event}=alert(1)><source src=x ${event}=alert(1)></video>`,
  (event) => `<input type=checkbox disabled ${event}=alert(1)>`,
  (event) => `<iframe src=https://player.vimeo.com/video/1 ${event}=alert(1)></iframe>`,
  (event) => `<svg ${event}=alert(1)><animate ${event}=alert(1) dur=1s></svg>`,
  (event) => `<x-y ${event}=alert(1)>a</x-y><body ${event}=alert(1)>`,
  (event) => `[a](/b "${event}=alert(1)") ![a" ${event}="alert(1)](/b.png)`,
  (event) => `| a |\n|---|\n| <b/${event}=alert(1)>c</b> |`,
]

const clobberings: readonly ((name: string) => string)[] = [
  (name) => `<p id=${name}>a</p> <p id="user-content-${name} b">c</p>`,
  (name) => `a <a id=${name} name=${name} href=/b>a</a><a id=${name}>b</a>`,
  (name) => `<img name="${name}" src=/a.png><embed name=${name}><object name=${name}></object>`,
  (name) =>
    `<form id=${name} name=${name}><input id=${name} name=${name}><output name=${name}></form>`,
  (name) => `<iframe name=${name} src=https://player.vimeo.com/video/1></iframe>`,
  (name) => `# ${name}\n\n## ${name}\n\n[a](#${name}) a[^${name}]\n\n[^${name}]: b`,
]

const longest: Readonly<Record<string, string>> = {
  'a long attribute': `<p title="${'a'.repeat(70_000)}" onclick=alert(1)>a</p>`,
  'a long name': `<${'a'.repeat(70_000)} onclick=alert(1)>a`,
  'many attributes': `<p ${Array.from({ length: 5000 }, (_, index) => `a${index}=b`).join(' ')} onclick=alert(1)>a</p>`,
  'a long address': `[a](java${'\n'.repeat(5000)}script:alert(1)) <a href="java${'\t'.repeat(70_000)}script:alert(1)">b</a>`,
  'white space before an address': `<a href="${' '.repeat(70_000)}javascript:alert(1)">a</a>`,
  'a long comment': `<!--${'-'.repeat(70_000)}><img src=x onerror=alert(1)>`,
  'many open elements': `${'<div><b>'.repeat(1000)}<img src=x onerror=alert(1)>`,
  'many open formatting elements': `${'<b><i><a href=/b>'.repeat(300)}\n\n${'</i></b>'.repeat(300)}<svg onload=alert(1)>`,
  'many tables in each other': `${'<table><tr><td>'.repeat(300)}${'</table>'.repeat(400)}<svg onload=alert(1)>`,
  'more references than are decoded': `${'&amp;'.repeat(20_000)}&lt;script&gt;alert(1)&lt;/script&gt;`,
}

/** The order is fixed, and each document occurs once. */
export function assembleCorpus(): Attack[] {
  const documents = new Map<string, string>()
  const add = (id: string, markdown: string): void => {
    if (!documents.has(markdown)) documents.set(markdown, id)
  }
  for (const list of pieces) {
    readPayloads(list).forEach((payload, index) => {
      addTo(contexts, `${list} ${index + 1}`, payload, add)
    })
  }
  for (const list of ['urls', 'embeds']) {
    readPayloads(list).forEach((url, index) => {
      addTo(addressContexts, `${list} ${index + 1}`, url, add)
    })
  }
  addEncoded(add)
  for (const [list, shapes] of [
    ['events', eventElements] as const,
    ['clobbering', clobberings] as const,
  ]) {
    for (const name of readPayloads(list)) {
      shapes.forEach((shape, index) => {
        add(`${list} ${name} in shape ${index + 1}`, shape(name))
      })
    }
  }
  for (const [id, markdown] of Object.entries(longest)) add(id, markdown)
  return Array.from(documents, ([markdown, id]) => ({ id, markdown }))
}

type Add = (id: string, markdown: string) => void

function addTo(places: typeof contexts, id: string, payload: string, add: Add): void {
  for (const [place, put] of Object.entries(places)) add(`${id}, ${place}`, put(payload))
}

const encodedHtml: readonly string[] = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '" onmouseover="alert(1)',
]
const encodedUrls: readonly string[] = [
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '//evil.example',
]

function addEncoded(add: Add): void {
  for (const [name, encode] of Object.entries(encodings)) {
    for (const html of encodedHtml) addTo(contexts, `${html} as ${name}`, encode(html), add)
    for (const url of encodedUrls) addTo(addressContexts, `${url} as ${name}`, encode(url), add)
  }
}
