import { describe, expect, it, vi } from 'vitest'
import { DefaultRenderer } from '../src/index.ts'

const renderer = new DefaultRenderer()
const rel = 'rel="nofollow ugc noopener"'

describe('raw HTML', () => {
  it.each([
    [
      '<kbd>a</kbd> <b>b</b> <i>c</i> <u>d</u> <sub>e</sub> <sup>f</sup> <mark>g</mark> <ins>h</ins> <abbr title="i">j</abbr>',
    ],
    ['<ruby>a<rt>b</rt></ruby>'],
  ])('keeps %s', (html) => {
    expect(renderer.render(html)).toBe(`<p>${html}</p>`)
  })

  it('keeps details with markdown inside', () => {
    expect(
      renderer.render('<details open>\n<summary>a</summary>\n\n**b**\n\n</details>\n\nc'),
    ).toBe('<details open>\n<summary>a</summary>\n<p><strong>b</strong></p>\n</details>\n<p>c</p>')
  })

  it('keeps media with their size', () => {
    expect(renderer.render('<img src="/a.png" alt="b" width="100" height="50%">')).toBe(
      '<img src="/a.png" alt="b" width="100" height="50%">',
    )
    expect(
      renderer.render(
        '<video controls muted playsinline poster="/p.png"><source src="/a.mp4" type="video/mp4">fallback</video>',
      ),
    ).toBe(
      '<p><video controls muted playsinline poster="/p.png"><source src="/a.mp4" type="video/mp4">fallback</video></p>',
    )
    expect(renderer.render('a <audio src="/a.mp3" controls></audio>')).toBe(
      '<p>a <audio src="/a.mp3" controls></audio></p>',
    )
  })

  it.each([
    ['width="1e9"', ''],
    ['width="100vw"', ''],
    ['height="-1"', ''],
    ['width="20px"', ' width="20px"'],
    ['loading="LAZY"', ' loading="lazy"'],
    ['loading="now"', ''],
    ['usemap="#a" ismap longdesc=/x srcset="/y 2x" crossorigin', ''],
  ])('filters the attributes %s', (attributes, kept) => {
    expect(renderer.render(`<img src="/a.png" ${attributes}>`)).toBe(`<img src="/a.png"${kept}>`)
  })

  it('drops unknown elements and keeps their text', () => {
    expect(renderer.render('a <blink>b</blink> <x-y>c</x-y> <font color=red>d</font>')).toBe(
      '<p>a b c d</p>',
    )
  })

  it('drops comments, declarations and instructions', () => {
    expect(renderer.render('a<!-- b -->c<?d?>e<!F g>h<![CDATA[i]]>j')).toBe('<p>acehj</p>')
    expect(renderer.render('<!-- a\n\nb -->\n\nc')).toBe('<p>c</p>')
    expect(renderer.render('<!-- only -->')).toBe('')
  })

  it('drops scripts and similar elements with their content', () => {
    expect(
      renderer.render('a <script>b **c** </script> d <style>e</style> f <textarea>g</textarea>'),
    ).toBe('<p>a  d  f </p>')
    expect(renderer.render('<div>\n<script>\nif (a<b) {}\n</script>x</div>\n\ny')).toBe(
      '<div>\nx</div>\n<p>y</p>',
    )
  })

  it('drops only the tag of a script that is not closed in its block, and keeps the text', () => {
    expect(renderer.render('Use the <script> tag\n\n**b**')).toBe(
      '<p>Use the  tag</p>\n<p><strong>b</strong></p>',
    )
  })

  it('renders incomplete tags as text', () => {
    expect(renderer.render('<div>a < b <3 <img src="x"y> <a href="</div>')).toBe(
      '<div>a &lt; b &lt;3 &lt;img src=&quot;x&quot;y&gt; &lt;a href=&quot;</div>',
    )
  })

  it('does not let an unfinished tag, quote or comment reach the next block', () => {
    const next = '<p>next</p>'
    expect(renderer.render('<div>\n<img alt="\n\nnext')).toBe(
      `<div>\n&lt;img alt=&quot;\n${next}\n</div>`,
    )
    expect(renderer.render('<div>a<!-- b\n\nnext')).toBe(`<div>a${next}\n</div>`)
    expect(renderer.render('<div><title>\n\nnext')).toBe(`<div>\n${next}\n</div>`)
  })

  it('lets an end tag close only what the author opened', () => {
    expect(renderer.render('> a\n>\n> </blockquote>\n>\n> b')).toBe(
      '<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>',
    )
    expect(renderer.render('- a </li></ul></p></div>\n- b')).toBe(
      '<ul>\n<li>a </li>\n<li>b</li>\n</ul>',
    )
  })

  it('keeps the other half of a pair that is partly inside a removed script', () => {
    expect(renderer.render('*a <script>b* c</script> d')).toBe('<p><em>a </em> d</p>')
    expect(renderer.render('a <script>b *c</script> d*')).toBe('<p>a <em> d</em></p>')
    expect(renderer.render('a <script>*b*</script> d')).toBe('<p>a  d</p>')
    const onFinding = vi.fn()
    new DefaultRenderer({ onFinding }).render('[^a]:[<script>]()</script>[^a]')
    expect(onFinding).not.toHaveBeenCalled()
  })

  it('supports omitted end tags', () => {
    expect(renderer.render('<ul><li>a<li>b</ul>')).toBe('<ul><li>a</li><li>b</li></ul>')
    expect(renderer.render('<table><tr><td>a<td>b<tr><td>c</table>d')).toBe(
      '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>d',
    )
    const items = '<li>a'.repeat(2000)
    expect(renderer.render(`<ul>${items}</ul>`)).toBe(`<ul>${'<li>a</li>'.repeat(2000)}</ul>`)
  })

  it('distinguishes nested elements of one name', () => {
    expect(renderer.render('<div><div>a</div></div>\n\nb')).toBe(
      '<div><div>a</div></div>\n<p>b</p>',
    )
  })

  it.each([
    ['<li>a', 'a'],
    ['<tr><td>a', 'a'],
    ['<table><table><tr><td>a', '<table><tr><td>a</td></tr></table>'],
    ['<table><div><tr><td>a', '<table><tr><td>a</td></tr></table>'],
    [
      '<table><tr><td><table><tr><td>a',
      '<table><tr><td><table><tr><td>a</td></tr></table></td></tr></table>',
    ],
    ['<dl><div><dd>a', '<dl><div>a</div></dl>'],
    ['<h1><b><h2>a', '<h1><b>a</b></h1>'],
    ['<summary>a', 'a'],
    ['<source src=/a>', ''],
    ['<a href=/a><b><a href=/b>c', `<a href="/a" ${rel}><b>c</b></a>`],
  ])(
    'drops the tags of misplaced elements, for which a browser would close elements of the page: %s',
    (markdown, html) => {
      expect(renderer.render(`<div>${markdown}`)).toBe(`<div>${html}</div>`)
    },
  )

  it('drops elements beyond the depth limit and keeps their text', () => {
    const html = renderer.render(`<div>${'<b><i>'.repeat(300)}a`)
    expect(html.match(/<[bi]>/g)?.length).toBe(199)
    expect(html).toContain('>a<')
  })
})

describe('ids and classes', () => {
  it.each([
    ['<p id="csrf">a</p>', '<p>a</p>'],
    ['<a id="user-content-a"></a>', '<p><a id="user-content-a"></a></p>'],
    ['<a id="user-content-a b" name="c"></a>', '<p><a></a></p>'],
    ['<p class="admin" style="position:fixed">a</p>', '<p>a</p>'],
    ['<code class="language-c++ admin">a</code>', '<p><code class="language-c++">a</code></p>'],
    [`<code class="language-${'a'.repeat(41)}">a</code>`, '<p><code>a</code></p>'],
  ])('%s', (markdown, html) => {
    expect(renderer.render(markdown)).toBe(html)
  })
})

describe('links', () => {
  it.each([
    ['[a](/b)', `<a href="/b" ${rel}>a</a>`],
    ['[a](mailto:b@c.example)', `<a href="mailto:b@c.example" ${rel}>a</a>`],
    ['[a](tel:+49123)', `<a href="tel:+49123" ${rel}>a</a>`],
    ['[a](//b.example)', `<a href="//b.example" ${rel}>a</a>`],
    ['[a](#)', '<a href="#">a</a>'],
    ['[a](#user-content-b)', '<a href="#user-content-b">a</a>'],
    [
      '<a href="/b" rel="opener" target="_blank" download ping="/c">a</a>',
      `<a href="/b" ${rel}>a</a>`,
    ],
    ['<a href="http://[b">a</a>', `<a href="http://[b" ${rel}>a</a>`], // Invalid, but harmless.
    ['[a](ftp://b.example)', '<a>a</a>'],
    ['[a](sms:1)', '<a>a</a>'],
  ])('%s', (markdown, html) => {
    expect(renderer.render(markdown)).toBe(`<p>${html}</p>`)
  })
})

describe('inputs', () => {
  it('keeps only disabled checkboxes', () => {
    expect(renderer.render('a <input type="checkbox" checked disabled>')).toBe(
      '<p>a <input type="checkbox" checked disabled></p>',
    )
    for (const attributes of [
      'type=text disabled',
      'type=checkbox',
      'disabled',
      'type=checkbox title=" disabled "',
    ]) {
      expect(renderer.render(`a<input ${attributes}>`)).toBe('<p>a</p>')
    }
  })
})
