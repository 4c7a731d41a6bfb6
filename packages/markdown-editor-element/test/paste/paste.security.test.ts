import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import { describe, expect, it } from 'vitest'
import { cpuSeconds } from '../../../../tests/support/cpu-seconds.ts'
import { cleanHtml, pasteEdit } from '../../src/paste/paste.ts'
import { convert, parseTree } from './support/parse.ts'

// A quadratic algorithm takes many seconds for this length.
const SIZE = 200_000
const fill = (part: string, length = SIZE): string =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length)

/** Excludes the time of the parser, because the browser parses the HTML. */
function secondsFor(html: string): number {
  const tree = parseTree(html)
  const options = { origin: '', parse: () => tree }
  const empty = { text: '', selectionStart: 0, selectionEnd: 0 }
  return cpuSeconds(() => pasteEdit({ html, text: '' }, empty, options), 3)
}

function elementsOf(node: DefaultTreeAdapterTypes.ParentNode): DefaultTreeAdapterTypes.Element[] {
  return node.childNodes.flatMap((child) =>
    'tagName' in child ? [child, ...elementsOf(child)] : [],
  )
}

describe('hostile HTML in the clipboard', () => {
  it.each([
    ['nested elements', `${'<div>'.repeat(20_000)}x<b>y</b>`],
    ['nested marks', `${'<b><i>'.repeat(20_000)}x`],
    ['nested lists', `${'<ul><li>a'.repeat(12_000)}`],
    ['nested quotes', `${'<blockquote>a'.repeat(9_000)}`],
    ['nested tables', `${'<table><tr><td>a<td>b'.repeat(5_000)}`],
    ['many marks', fill('<b>a</b> <i>b</i><u>c</u>')],
    ['marks without text', fill('<b></b>')],
    // An HTML parser opens all unclosed marks again in each paragraph.
    ['unclosed marks', `<p>${'<b><i>'.repeat(200)}${fill('<p>x')}`],
    ['long unclosed marks', `<p><b ${fill('a=b ', 2_000)}>${fill('<p>x')}`],
    ['many links', fill('<a href="https://a.example/(">[a</a>')],
    ['many breaks', fill('a<br>')],
    ['many cells', `<table>${fill('<tr><td>a|b<td>c')}`],
    ['wide cells', `<table>${fill('<tr><td colspan=1000 rowspan=65534>a', 200_000)}`],
    ['many items', `<ol>${fill('<li>a')}`],
    ['many styles', fill('<span style="font-weight:700;color:red;font-family:x">a</span>')],
    ['a long style', `<b style="${fill('font-weight:;')}">a</b>`],
    ['a style sheet without braces', `<style>${fill('.a,')}</style><b>a</b>`],
    [
      'a style sheet with many rules',
      `<style>${fill('.a,.b{font-weight:700}')}</style><b class="a">a</b>`,
    ],
    ['many classes', fill('<p class="a b c d e f language-x">a</p>')],
    ['signs', `<b>a</b> ${fill('*_~^=`[]!\\')}`],
    ['underscores within a word', `<b>a</b> b${fill('_')}c`],
    ['too many items to number', `<ol>${fill('<li>a', 400_000)}`],
    ['tildes', `<b>a</b> ${fill('~a')}`],
    ['many carets', `<b>a</b> ${fill('^a')}`],
    ['brackets', `<b>a</b> ${fill('[')}${fill(']')}`],
    ['addresses', `<b>a</b> ${fill('https://a.example/b_c ')}`],
    ['an endless address', `<b>a</b> https://a.example/${fill('(')}`],
    ['starts of addresses', `<b>a</b> ${fill('https://')}`],
    ['backticks', `<code>${fill('`a``')}</code> b`],
    ['white space', `<b>a</b>${fill(' \n')}b`],
    ['non-breaking spaces', `<b>a</b>${fill('&nbsp;')}b`],
    ['ampersands', `<b>a</b>${fill('&amp;amp')}`],
    ['digits', `<b>a</b><br>${fill('1')}.`],
    ['pictures', fill('<img src="data:image/png;base64,AAAA" alt="x">')],
    ['lists of Slack', fill('<ul data-indent=1><li>a</ul>')],
    ['blocks after an item', `<ul><li>a</li><li data-aria-level=2>b</li>${fill('<p>c')}`],
    ['one list of Slack', `<ul data-indent=1>${fill('<li>a')}`],
    [
      'numbers and bullets of Word',
      fill(
        "<p style='mso-list:l0 level1'>a<p style='mso-list:l0 level1'><b style='mso-list:Ignore'>1.</b>b",
      ),
    ],
    ['lines of a cell', `<table><td>b<td>${fill('<p>a')}`],
    ['rows of a table in a cell', `<table><td>b<td><table>${fill('<tr><td>a<td>b')}`],
    ['lists beside items', `<ul><li>a${fill('<ul><li>b</li></ul>').replace(/^/, '</li>')}`],
    [
      'many items of Word',
      `<p class=MsoListParagraph style="mso-list:l0 level9 lfo1">a</p>`.repeat(15_000),
    ],
    ['many rows', `<table>${'<tr><td>a<td>b'.repeat(30_000)}`],
    ['backticks in code', `<p><code>${fill('`')}</code> <code>${fill('` ')}`],
    ...['`', '*', '_', '[', '&lt;', '&amp;', '1', '- ', '\\', 'a@', 'a@b.example '].map(
      (sign): [string, string] => {
        return [`a run of ${sign}`, `<p>${fill(sign)}<b>a</b>`]
      },
    ),
    ['line feeds within code', `<pre>a${fill('\n')}b</pre>`],
    ['code that begins with a space', `<p>a<code> ${fill('x')}</code>`],
    ['breaks within code', `<pre>a${fill('<br>')}b</pre>`],
    ['wide spaces within a mark', `<p>x <i>a${fill('\u2003')}b</i></p>`],
    ['wide spaces of many marks', `<p>x <b>${fill('<i>\u2003</i>\u2003')}b</b></p>`],
    [
      'spaces within the name of a video',
      `<video src="https://a.example/b">a${fill(' ')}b</video> c`,
    ],
    ['starts of images', fill('<img src="data:image/png;base64,AAAA')],
    [
      'levels of Word',
      fill("<p style='mso-list:l0 level9 lfo1'>a</p><p style='mso-list:l0 level1 lfo1'>b</p>"),
    ],
  ])('is read in limited time: %s', (_, html) => {
    expect(secondsFor(html)).toBeLessThan(3)
  })

  const deep = (part: string): string => part.repeat(2_000)

  it.each([
    deep('<ul><li>'),
    deep('<b><i>'),
    deep('<x-y>'),
    deep('<p><b class=a>a</p>'),
    deep('<table><tr><td>'),
    deep('<div><table><td></div></table>'),
    deep('<span><div></span></div>'),
    deep('<div a="></div>">'),
    deep('<div><style></div></style>'),
    deep('<div><!--</div>-->'),
    deep('<div><!</div>'),
    deep('<div></ </div>'),
    deep('<div><svg></div>'),
    deep('<svg><span/></svg>'),
    deep('<svg><style><!--</style></svg>-->'),
    `<![CDATA[>${deep('<div>')}`,
    // Browsers do not treat U+00A0 and U+000B as white space.
    deep('<br\u00a0>'),
    deep('<p\v>'),
    `<p a=\u00a0">${deep('<div>')}"`,
    `<style></style\u00a0><!--</style>${deep('<div>')}`,
  ])('is pasted as plain text if it nests too deep for a browser: %#', (html) => {
    expect(cleanHtml(html)).toBe(null)
  })

  it.each([
    deep('<div><p>a<b>c</b></p></div>'),
    `<table>${deep('<tr><td>a<td><b>b</b>')}</table>`,
    `<!--${deep('<div>')}--><style>${deep('<b>')}</style>`,
    deep('<p class="a>b" title=\'<b>\'>a<br><img src=x></p>'),
    deep('<svg><title>a</title><path d="M"></path></svg>'),
    deep('<ruby>a<rt>b</rt></ruby>'),
    deep('<![if !vml]><p><o:p></o:p></p><![endif]>'),
    deep('<ul><li>a<li>b</ul>'),
    deep('<div><p><span>a</p></div>'),
    `<b style="font-weight:normal" id="docs-internal-guid-1">${deep('<p><span>a</span> <font color=red><b><i>b</i></b></font></p>')}</b>`,
    deep('a < b <3 '),
  ])('is read if it is only long: %#', (html) => {
    expect(cleanHtml(html)).not.toBe(null)
  })

  it.each(['<', '</', '<!--', '<style>', '<div a="', '<div a ', '</div>', '<textarea></'])(
    'is scanned in limited time: %s',
    (part) => {
      const html = `${'<div>'.repeat(450)}<table>${fill(part, 900_000)}`
      expect(cpuSeconds(() => cleanHtml(html), 2)).toBeLessThan(2)
    },
  )

  it('is pasted as plain text if it is too long', () => {
    const state = { text: '', selectionStart: 0, selectionEnd: 0 }
    const parse = (): never => expect.fail('it was parsed')
    expect(
      pasteEdit({ html: fill('<b>a</b>', 1_000_001), text: 'a' }, state, { origin: '', parse }),
    ).toBe(null)
  })

  it('is pasted as plain text if it repeats a long address in each paragraph', () => {
    const html = `<a href="https://a.example/${fill('a', 100_000)}">${'<p>x'.repeat(12_000)}`
    expect(secondsFor(html)).toBeLessThan(2)
    const empty = { text: '', selectionStart: 0, selectionEnd: 0 }
    expect(pasteEdit({ html, text: 'x' }, empty, { origin: '', parse: parseTree })).toBe(null)
  })

  it('keeps the text of elements that are nested too deep', () => {
    const depth = 2_000
    const { markdown } = convert(
      Array.from({ length: depth }, (_, index) => `<blockquote>w${index} `).join(''),
    )
    expect(markdown.match(/w\d+/g)).toHaveLength(depth)
  })

  it('adds no tag and no address that was not visible', () => {
    const dangerous = fc.constantFrom(
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '<a href="javascript:alert(1)">a</a>',
      '<a href="https://a.example/&quot;onmouseover=&quot;alert(1)">a</a>',
      '<img src="https://a.example/x" alt="&quot;><script>alert(1)</script>" width=3>',
      '&lt;script>alert(1)&lt;/script>',
      '<b>&lt;</b>script>alert(1)',
      '&lt;<i>img src=x onerror=alert(1)></i>',
      '<summary>&lt;script></summary>',
      '<details><summary>&lt;img src=x onerror=alert(1)></summary>a</details>',
      '<pre>```\n<i>&lt;script>alert(1)</i></pre>',
      '<code>`&lt;script></code>',
      '<video src="https://a.example/v&quot; onerror=&quot;alert(1)">&lt;/video>&lt;script></video>',
      '<table><tr><td>&lt;script>|</td><td>`</td></tr></table>',
      '<iframe src="https://www.youtube.com/embed/x&quot;onload=&quot;alert(1)"></iframe>',
      '<iframe srcdoc="&lt;script>"></iframe>',
      '<svg><script>alert(1)</script></svg>',
      '<style>a{</style><p>b</p>',
      'text ',
      '<br>',
    )
    const html = fc.array(dangerous, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
    // This renderer allows all HTML, because the policy of our renderer would remove unsafe HTML.
    const trusting = new MarkdownIt({ html: true })
    fc.assert(
      fc.property(html, (content) => {
        const { markdown } = convert(content)
        const unsafe = elementsOf(parseFragment(trusting.render(markdown))).filter(
          ({ tagName, attrs }) => {
            const acts = attrs.some(
              ({ name, value }) =>
                /^on|^style$|^srcdoc$/.test(name) || /^\s*javascript:/i.test(value),
            )
            return acts || /^(?:script|style|svg|iframe|object)$/.test(tagName)
          },
        )
        expect(
          unsafe.map(({ tagName }) => tagName),
          markdown,
        ).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
