import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../src/rendering/index.ts'
import { hostileFragments } from './support/hostile.ts'
import { judge } from './support/judge.ts'
import { all, parseStrictly, textOf } from './support/strict-html.ts'

const renderer = new DefaultRenderer()
const tree = (markdown: string) => parseStrictly(renderer.render(markdown))

// Public attack strings whose licences keep them out of this repository; a path outside of it that may be absent.
const corpusPath =
  process.env['QUILLGATE_XSS_CORPUS'] ?? resolve(import.meta.dirname, '../../../../../shared/reference/xss-public.json')

describe('rendered HTML is safe', () => {
  it('for public attack strings, each alone and in markdown', (context) => {
    if (!existsSync(corpusPath)) context.skip(`no corpus of attack strings (QUILLGATE_XSS_CORPUS): ${corpusPath}`)
    const attacks = JSON.parse(readFileSync(corpusPath, 'utf8')) as { id: string; md: string }[]
    expect(attacks.length).toBeGreaterThan(1000)
    for (const { id, md } of attacks) {
      for (const text of [
        md,
        `a ${md} b`,
        `> - ${md}`,
        `<div>${md}`,
        `[a](${md})`,
        `[a]: <${md}>\n\n![a]`,
        `| a |\n|-|\n| ${md} |`,
      ]) {
        expect(judge(renderer.render(text)), id).toEqual([])
      }
    }
  })

  it('for documents made of hostile pieces', () => {
    const document = fc.array(fc.constantFrom(...hostileFragments), { minLength: 1, maxLength: 25 })
    fc.assert(
      fc.property(document, fc.constantFrom('', ' ', '\n'), (fragments, glue) => {
        expect(judge(renderer.render(fragments.join(glue)))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('for any characters', () => {
    const characters = fc.string({
      unit: fc.constantFrom(...'<>&"\'`=/\\[]()!*_~^#-|:. \n\tax1\0\ud800'),
      maxLength: 60,
    })
    fc.assert(
      fc.property(fc.oneof(characters, fc.string({ unit: 'binary' })), (text) => {
        expect(judge(renderer.render(text))).toEqual([])
        expect(judge(new DefaultRenderer({ markdownIt: null }).render(text).replaceAll('&#39;', "'"))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('for attributes that browsers read in other ways than one would think', () => {
    for (const value of [
      'javascript:alert(1)',
      'JAVASCRIPT:x',
      ' javascript:x',
      '\u0001javascript:x',
      'java\tscript:x',
      'java&#10;script:x',
      'javascript&colon;x',
      'javascript&#x3a;x',
      'vbscript:x',
      'data:text/html,x',
      'blob:x',
      'file:///x',
      'view-source:x',
      'about:blank',
      '&#x6a;avascript:x',
      'java\u00adscript:x:',
      'feed:javascript:x',
    ]) {
      for (const html of [
        `<a href="${value}">a</a>`,
        `<img src="${value}">`,
        `<video poster="${value}" src="${value}"></video>`,
        `<q cite="${value}">a</q>`,
        `[a](<${value}>)`,
        `![a](<${value}>)`,
      ]) {
        expect(judge(renderer.render(html)), html).toEqual([])
      }
    }
  })
})

describe('the judge', () => {
  it.each([
    '<script></script>',
    '<p onclick="a"></p>',
    '<a href="javascript:alert(1)" rel="nofollow ugc noopener">a</a>',
    '<a href="java\nscript:a" rel="nofollow ugc noopener">a</a>',
    '<a href="/x">a</a>',
    '<p>',
    '</p>',
    '<b><i></b></i>',
    '<p',
    '<img src=x>',
    'a < b',
    '&colon;',
    '<p id="csrf"></p>',
    '<p class="admin"></p>',
    '<li></li>',
    '<table><div></div></table>',
    '<input type="text">',
    '<iframe src="https://evil.example" sandbox=""></iframe>',
    '\ud800',
  ])('condemns %j', (html) => {
    expect(judge(html)).not.toEqual([])
  })
})

// The numbers are those of the list of flaws in Quillgate's model, which must not come back.
describe('flaws of the model', () => {
  it('F1: a scheme split by a line feed or led by a control character does not pass', () => {
    for (const href of [
      'java\nscript:alert(1)',
      'java&#10;script:alert(1)',
      '\u0001javascript:alert(1)',
      '&#1;javascript:alert(1)',
    ]) {
      expect(all(tree(`<a href="${href}">a</a>`), 'a')[0]?.attributes.has('href')).toBe(false)
      expect(all(tree(`<iframe src="${href}"></iframe>`), 'iframe')).toEqual([])
    }
  })

  it('F2: a frame without its end tag is judged like any other, and closed', () => {
    for (const src of ['https://evil.example/', 'javascript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x']) {
      expect(all(tree(`<iframe src="${src}">`), 'iframe')).toEqual([])
    }
    expect(renderer.render('<iframe src="https://player.vimeo.com/video/1">')).toMatch(/><\/iframe>$/)
  })

  it('F3: a tag without its end is not left for the page to complete', () => {
    for (const open of [
      '<div>\n<img src=x onerror=alert(1) //',
      '<div>\n<svg onload=alert(1) ',
      'a <img src=x onerror=alert(1)',
      '<div><a title="',
    ]) {
      expect(all(tree(open), 'img')).toEqual([])
      expect(judge(`${renderer.render(open)}<p>page</p>`)).toEqual([])
    }
  })

  it('F4: stray end tags, open comments and unclosed elements leave the page around alone', () => {
    for (const text of [
      '</div></div></main></body>',
      '<!-- a',
      '<div><!--',
      '<div><b><p>',
      '</td></tr></table>',
      '<li>',
      '<tr>',
    ]) {
      const page = parseStrictly(`<div>${renderer.render(text)}</div><p>page</p>`)
      expect(page.children.map((child) => (typeof child === 'string' ? child : child.name))).toEqual(['div', 'p'])
    }
  })

  it('F5: no inputs but disabled checkboxes, no free classes, no other schemes', () => {
    for (const html of [
      '<input type=text>',
      '<input type=password>',
      '<input type=submit>',
      '<input type=checkbox>',
      '<form action=/x><button>a</button></form>',
    ]) {
      expect(renderer.render(html)).not.toMatch(/<(input|form|button)/)
    }
    expect(renderer.render('<div class="md-editor--fullscreen">a</div>')).toBe('<div>a</div>')
    for (const scheme of ['vbscript', 'data', 'file']) {
      expect(all(tree(`[a](${scheme}:b)`), 'a')[0]?.attributes.has('href')).toBe(false)
    }
  })

  it('F6: the preview and the server share one sanitizer, which knows every trick that the preview let pass', () => {
    for (const html of [
      '<div><img src="x"onerror=alert(1)></div>',
      '<svg/onload=alert(1)>',
      '<a href="javascript&#58;alert(1)">a</a>',
      '<iframe srcdoc="<b>x</b>"></iframe>',
      '<iframe src="javascript&colon;alert(1)"></iframe>',
      '<meta http-equiv="refresh" content="0;url=//evil.example">',
      '<base href=//evil.example>',
      '<link rel=stylesheet href=//evil.example/x.css>',
      '<style>*{display:none}',
      '<scr<script></script>ipt>alert(1)</scr<script></script>ipt>',
    ]) {
      expect(judge(renderer.render(html)), html).toEqual([])
    }
  })

  it('F33: an ampersand in a link, image, title or alternative text is escaped once', () => {
    const text = '[a](/b?c=1&d=2 "e & f") ![g & h](/i?j=1&amp;k=2) <l@m.example>'
    const root = tree(text)
    const [link, mail] = all(root, 'a')
    expect(link?.attributes.get('href')).toBe('/b?c=1&d=2')
    expect(link?.attributes.get('title')).toBe('e & f')
    expect(all(root, 'img')[0]?.attributes.get('alt')).toBe('g & h')
    expect(all(root, 'img')[0]?.attributes.get('src')).toBe('/i?j=1&k=2')
    expect(mail?.attributes.get('href')).toBe('mailto:l@m.example')
    expect(renderer.render(text)).not.toContain('&amp;amp;')
  })

  it('F34: what the toolbar inserts is rendered', () => {
    const names = ['del', 'mark', 'sup', 'sub', 'input', 'details', 'strong', 'iframe', 'video']
    const root = tree(
      '~~a~~ ==b== c^2^ H~2~O\n\n- [ ] d\n\n<details>\n<summary>e</summary>\n\n**f**\n\n</details>\n\n' +
        '<iframe src="https://www.youtube.com/embed/abc" width="100%" height="400"></iframe>\n\n<video src="/v.mp4" controls></video>',
    )
    expect(names.filter((name) => all(root, name).length === 0)).toEqual([])
    expect(textOf(all(root, 'details')[0]!)).toContain('f')
  })

  it('F35: footnotes and in-page links lead somewhere; alignment, list starts, kbd, b, i and u stay', () => {
    const root = tree(
      '# My Title\n\n[a](#my-title) b[^1]\n\n[^1]: c\n\n| d |\n|-:|\n| e |\n\n3. f\n\n<kbd>g</kbd><b>h</b><i>i</i><u>j</u>',
    )
    const ids = new Set(
      ['h1', 'a', 'li'].flatMap((name) => all(root, name)).map(({ attributes }) => attributes.get('id')),
    )
    const targets = all(root, 'a').map(({ attributes }) => attributes.get('href')?.slice(1))
    expect(targets.length).toBe(3)
    expect(targets.filter((target) => !ids.has(target))).toEqual([])
    expect(all(root, 'td')[0]?.attributes.get('align')).toBe('right')
    expect(all(root, 'ol')[0]?.attributes.get('start')).toBe('3')
    for (const name of ['kbd', 'b', 'i', 'u']) expect(all(root, name).length).toBe(1)
  })

  it('F41: text that looks like an event attribute stays, quotes stay straight', () => {
    expect(renderer.render('set onfoo=bar here "q" ...')).toBe('<p>set onfoo=bar here "q" ...</p>')
    expect(renderer.render('`<b onclick=go>` and `<a href=javascript:x>`')).toBe(
      '<p><code>&lt;b onclick=go&gt;</code> and <code>&lt;a href=javascript:x&gt;</code></p>',
    )
  })
})
