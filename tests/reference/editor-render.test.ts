import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../packages/markdown/src/index.ts'
import { judge } from '../../packages/markdown/test/support/judge.ts'
import { renderValue } from '../../packages/markdown-editor/src/templates/render-value.ts'

interface RenderCase {
  readonly id: string
  readonly note: string
  readonly markdown?: string | null
  readonly markdownParts?: readonly (readonly [text: string, count: number])[]
  readonly expected: { readonly html?: string }
  readonly verdict: 'follow' | 'improve' | 'free'
}

const file = new URL('cases/editor-render.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as RenderCase[]
// The original editor uses other classes for highlighted code, so highlighting is not compared.
const renderer = new DefaultRenderer({ highlightLanguages: [] })

const rel = 'rel="nofollow ugc noopener"'
const frame =
  'sandbox="allow-scripts allow-same-origin allow-popups allow-presentation" ' +
  'allow="fullscreen; encrypted-media; picture-in-picture" loading="lazy" ' +
  'referrerpolicy="strict-origin-when-cross-origin"'
const linked = (address: string) => `<a href="${address}" ${rel}>${address}</a>`

// Our results for cases with the verdicts `improve` and `free`.
const improved: Readonly<Record<string, string>> = {
  'ren-strike': '<p><del>gone</del></p>',
  'ren-mark': '<p><mark>hi</mark></p>',
  'ren-sup': '<p>x<sup>2</sup></p>',
  'ren-sub': '<p>H<sub>2</sub>O</p>',
  'ren-h-id': '<h2 id="user-content-my-title">My Title</h2>',
  'ren-ol-start': '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>',
  'ren-ul-nested2': '<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>',
  'ren-ul-after-p': '<p>Text</p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>',
  'ren-table-align':
    '<table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th align="center">b</th>\n<th align="right">c</th>\n</tr>\n</thead>\n' +
    '<tbody>\n<tr>\n<td align="left">1</td>\n<td align="center">2</td>\n<td align="right">3</td>\n</tr>\n</tbody>\n</table>',
  'ren-fence': '<pre><code>a &lt; b\n</code></pre>',
  'ren-fence-lang': '<pre><code class="language-python">def f():\n    return 1\n</code></pre>',
  'ren-fence-guess': '<pre><code>import os\n</code></pre>',
  'ren-fence-tilde': '<pre><code>x\n</code></pre>',
  'ren-fence-html':
    '<pre><code class="language-html">&lt;script&gt;alert(1)&lt;/script&gt;\n</code></pre>',
  'ren-link-amp': `<p><a href="https://example.com/?a=1&amp;b=2" ${rel}>a</a></p>`,
  'ren-title-quote': `<p><a href="/x" title="say &quot;hi&quot;" ${rel}>a</a></p>`,
  'ren-link-js-entity2': '<p><a>a</a></p>',
  'ren-link-js-tab': `<p><a href="java%09script:alert(1)" ${rel}>a</a></p>`,
  'ren-link-vb': '<p><a>a</a></p>',
  'ren-img-data': '<p><img alt="a"></p>',
  'ren-img-data-svg': '<p><img alt="a"></p>',
  'ren-autolink-bare': `<p>see ${linked('https://example.com')} now</p>`,
  'ren-autolink-mail': `<p><a href="mailto:a@example.com" ${rel}>a@example.com</a></p>`,
  'ren-footnote':
    '<p>Text<sup class="footnote-ref"><a href="#user-content-fn-1" id="user-content-fnref-1">1</a></sup></p>\n' +
    '<section class="footnotes">\n<ol>\n<li id="user-content-fn-1">\n' +
    '<p>Note <a href="#user-content-fnref-1" class="footnote-backref" aria-label="Back to reference 1">↩</a></p>\n' +
    '</li>\n</ol>\n</section>',
  'ren-deflist': '<p>Term\n:   Def</p>',
  'ren-attrlist': '<h1 id="user-content-t-id-cls-onclickalert1">T {#id .cls onclick=alert(1)}</h1>',
  'ren-backslash-break': '<p>a<br>\nb</p>',
  'ren-toc': '<p>[TOC]</p>\n<h1 id="user-content-a">A</h1>\n<h2 id="user-content-b">B</h2>',
  'ren-html-details': '<details>\n<summary>S</summary>\n<p><strong>b</strong></p>\n</details>',
  'ren-html-video-poster': '<p><video src="/v.mp4" poster="/p.png"></video></p>',
  'ren-iframe-youtube':
    '<iframe src="https://www.youtube-nocookie.com/embed/abc" title="YouTube video player" width="100%" height="400" ' +
    `${frame}></iframe>`,
  'ren-iframe-vimeo': `<iframe src="https://player.vimeo.com/video/1?dnt=1" title="Vimeo embed" width="100%" height="400" ${frame}></iframe>`,
  'ren-iframe-unclosed-js': '',
  'ren-iframe-unclosed-data': '',
  'ren-iframe-http': linked('http://www.youtube.com/embed/x'),
  'ren-unclosed-img': '<div>\n&lt;img src=x onerror=alert(1) //</div>',
  'ren-unclosed-svg': '<div>\n&lt;svg onload=alert(1) </div>',
  'ren-a-amp': `<p><a href="/x?a=1&amp;b=2" ${rel}>x</a></p>`,
  'ren-a-target': `<p><a href="https://example.com" ${rel}>x</a></p>`,
  'ren-a-rel': `<p><a href="https://example.com" ${rel}>x</a></p>`,
  'ren-attr-gt': '<img alt="a&gt;b" src="/i.png">',
  'ren-class-attr': '<div>x</div>',
  'ren-input-text': '',
  'ren-form': '',
  'ren-open-div': '<div><div>text</div></div>',
  'ren-comment': '<p>a  b</p>',
  'ren-doctype': '<p>text</p>',
  'ren-kbd': '<p><kbd>Ctrl</kbd></p>',
  'ren-b-i-u': '<p><b>b</b> <i>i</i> <u>u</u> <ins>n</ins></p>',
  'ren-custom-element': '<p>y</p>',
  'ren-nul': '<p>&lt;scr\uFFFDipt&gt;alert(1)</p>',
  'ren-dos-bracket': `<p>${'['.repeat(5000)}</p>`,
  'ren-dos-script': '',
}

// Cases with the verdict `follow` whose HTML differs. The reasons are in differences.md.
const differ: Readonly<Record<string, string>> = {
  'ren-h1-6': [1, 2, 3, 4, 5, 6]
    .map((n) => `<h${n} id="user-content-${' abcdef'[n]}">${' abcdef'[n]}</h${n}>`)
    .join('\n'),
  'ren-ul-nested4': '<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>',
  'ren-image': '<p><img src="/media/x.png" alt="alt"></p>',
  'ren-image-title': '<p><img src="/media/x.png" alt="alt" title="t"></p>',
  'ren-ref': `<p><a href="/x" ${rel}>a</a></p>`,
  'ren-html-video':
    '<p><video src="/media/v.mp4" controls controlslist="nodownload noplaybackrate" disablepictureinpicture ' +
    'width="100%">v.mp4</video></p>',
  // Text that is not a tag is plain text. In GFM, a URL in plain text ends at white space or `<`.
  'ren-iframe-nested': `<p>&lt;iframe src=&quot;<a href="https://evil.example/%22%3E" ${rel}>https://evil.example/&quot;&gt;</a></p>`,
  'ren-iframe-host-trick': linked('https://www.youtube.com.evil.example/embed/x'),
  'ren-script-nested': '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>',
  'ren-onerror': '<img src="x">',
  'ren-onerror-slash': '<p>&lt;img/src=x/onerror=alert(1)&gt;</p>',
  'ren-math': '<p>x</p>',
  'ren-img-srcset': '<img src="/i.png">',
  'ren-link-tag': '',
  'ren-meta': '',
  'ren-base': '',
  'ren-mxss': '<p title="&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;"></p>',
  'ren-long-line': `<p>${'a'.repeat(100_000)}</p>`,
  'ren-dos-emph': `<p>${'<em>a</em>a'.repeat(5000)}</p>`,
}

describe('reference: rendering', () => {
  it.each(cases.map((test) => [test.id, test] as const))('%s', (id, test) => {
    const html = render(test)
    const wanted = improved[id] ?? differ[id]
    if (wanted === undefined)
      expect(withoutGaps(html)).toBe(withoutGaps(test.expected.html ?? 'no HTML recorded'))
    else expect(html).toBe(wanted)
    expect(judge(html)).toEqual([])
  })

  it('compares every case with the original or with a documented difference', () => {
    const ids = (verdict: string) =>
      cases.filter((test) => test.verdict === verdict).map(({ id }) => id)
    expect(Object.keys(differ).filter((id) => !ids('follow').includes(id))).toEqual([])
    expect(
      Object.keys(improved).filter((id) => ![...ids('improve'), ...ids('free')].includes(id)),
    ).toEqual([])
    expect(cases.length).toBe(94)
  })
})

// Our renderer rejects null. In templates, as in the original, null becomes the empty string.
function render({ markdown, markdownParts }: RenderCase): string {
  const text = markdownParts?.map(([part, count]) => part.repeat(count)).join('') ?? markdown
  return text === null ? renderValue(renderer, text) : renderer.render(text ?? '')
}

function withoutGaps(html: string): string {
  return html.replace(/\s+/g, ' ').replaceAll('> <', '><').trim()
}
