import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../packages/markdown/src/index.ts'
import { assembleCorpus } from '../../packages/markdown/test/attacks/corpus.ts'
import { noChromium, sharedChromium } from '../support/chromium.ts'
import { type AttackSite, startAttackSite } from './rendering-attacks/attack-site.ts'
import { type WatchedPage, watchPage } from './rendering-attacks/watched-page.ts'

const documentsPerPage = 1000

describe('attacks in a browser', () => {
  beforeEach((context) => {
    if (noChromium) context.skip(noChromium)
  })

  let site: AttackSite
  let context: BrowserContext
  let page: WatchedPage

  beforeAll(async () => {
    if (noChromium) return
    site = await startAttackSite()
    const browser = await sharedChromium()
    context = await browser.newContext({ proxy: { server: site.proxy } })
    page = await watchPage(context, site)
  })

  afterAll(async () => {
    await context?.close()
    await site?.close()
  })

  // These tests prove that the page detects attacks.
  describe('that are not rendered are detected', () => {
    it.each([
      ['a script', '<script>1</script>', /a script/],
      ['a script that fails', '<script>1 +</script>', /a script/],
      [
        'a script of another host',
        '<script src="http://evil.example/x.js"></script>',
        /a request for Script/,
      ],
      ['a picture that fails', '<img src=x onerror=alert(1)>', /a script/],
      ['a drawing', '<svg onload=alert(1)></svg>', /a script/],
      ['a link', '<a href="javascript:alert(1)">a</a>', /a script/],
      ['a link with a line feed', '<a href="java\nscript:alert(1)">a</a>', /a script/],
      [
        'a link in a drawing',
        '<svg><a href="javascript:alert(1)"><text y=20>a</text></a></svg>',
        /a script/,
      ],
      ['a frame', '<iframe src="javascript:parent.alert(1)"></iframe>', /a script/],
      ['a frame of its own', '<iframe srcdoc="<script>1</script>"></iframe>', /a script/],
      ['a handler that waits', '<p onmouseover=alert(1)>a</p>', /a script/],
      ['a handler that opens', '<details open ontoggle=alert(1)>a</details>', /a script/],
      [
        'an animation',
        '<style>@keyframes x{}</style><p style="animation:x 1ms" onanimationstart=alert(1)>a</p>',
        /a script/,
      ],
      [
        'a style sheet',
        '<link rel=stylesheet href="http://evil.example/x.css">',
        /a request for Stylesheet/,
      ],
      [
        'a refresh',
        '<meta http-equiv=refresh content="0;url=http://evil.example/">',
        /evil\.example/,
      ],
      ['a breakout', '</div></main><p>a', /left its container|the body holds|parts, not/],
      ['an open element', '<b>a', /left its container|other HTML/],
      ['an open comment', '<!-- a', /parts, not|left its container/],
      ['an overlay', '<p style="position:fixed">a</p>', /position fixed/],
      ['a form', '<form action="http://evil.example/"><input></form>', /a form/],
      ['mutating markup', '<table><a href=/a>b<table><a href=/c>d', /other HTML/],
    ])('%s', async (_, html, expected) => {
      const attack = site.publish(['<p>a</p>', html, '<p>b</p>'])
      expect((await page.open(attack)).join('\n')).toMatch(expected)
    })

    it.each([
      ['a picture that fails', '<img src=x onerror=alert(1)>', /a script/],
      ['a link', '<a href="javascript:alert(1)">a</a>', /a script/],
      ['a frame of its own', '<iframe srcdoc="<script>1</script>"></iframe>', /a script/],
      ['a handler that opens', '<details open ontoggle=alert(1)>a</details>', /a script/],
      ['an overlay', '<dialog open>a</dialog>', /position/],
    ])('%s, by innerHTML', async (_, html, expected) => {
      const attack = site.publish(['<p>a</p>', html, '<p>b</p>'])
      expect((await page.open(attack + site.asFragments)).join('\n')).toMatch(expected)
    })

    it('but no problem is detected in harmless documents', async () => {
      const url = site.publish([
        '<p>a</p>',
        '<a href="https://a.example/">b</a>',
        '<img src="/a.png" alt="c">',
      ])
      expect(await page.open(url)).toEqual([])
      expect(await page.open(url + site.asFragments)).toEqual([])
    })
  })

  describe('of the corpus have no effect after rendering', () => {
    let batches: string[][]

    beforeAll(() => {
      if (noChromium) return
      const renderer = new DefaultRenderer()
      // Many attacks render to the same text.
      const rendered = [
        ...new Set(assembleCorpus().map(({ markdown }) => renderer.render(markdown))),
      ]
      expect(rendered.length).toBeGreaterThan(20_000)
      // The documents are distributed so that each page contains every kind of attack.
      const pages = Math.ceil(rendered.length / documentsPerPage)
      batches = Array.from({ length: pages }, (_, page) =>
        rendered.filter((_, index) => index % pages === page),
      )
    })

    // `inspectPage` always parses with innerHTML too, so the second test uses half of the pages.
    it.each([
      ['by the server', { each: 1, asFragments: false }],
      ['by innerHTML', { each: 2, asFragments: true }],
    ])('when put into pages %s', { timeout: 300_000 }, async (_, { each, asFragments }) => {
      for (const batch of batches.filter((_, index) => index % each === 0)) {
        const seen = await page.open(site.publish(batch) + (asFragments ? site.asFragments : ''))
        expect(seen.map((problem) => explain(problem, batch))).toEqual([])
      }
    })
  })
})

/** Appends the text of the document to a problem that starts with the number of a document. */
function explain(problem: string, documents: readonly string[]): string {
  const index = /^(\d+):/.exec(problem)?.[1]
  return index === undefined ? problem : `${problem}: ${documents[Number(index)]?.slice(0, 1000)}`
}
