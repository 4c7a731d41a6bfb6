import { describe, expect, it } from 'vitest'
import { createRenderer, REL, type RendererPlugin } from '../support/create-renderer.ts'
import { judge } from '../support/judge.ts'

describe('the environment of plugins', () => {
  const counting: RendererPlugin = (parser) => {
    parser.core.ruler.push('words', ({ env, tokens }) => {
      const inline = tokens.filter(({ type }) => type === 'inline')
      Object.assign(env, { words: inline.map(({ content }) => content.split(' ').length) })
    })
    parser.renderer.rules['code_inline'] = (_tokens, _index, _options, env) =>
      String(env?.['words'])
  }

  it('is one for their rules and those of the renderer, in footnotes too', () => {
    const own = createRenderer({ plugins: [counting] })
    expect(own.render('a b `c`\n\nd')).toBe('<p>a b 3,1</p>\n<p>d</p>')
    expect(own.render('a[^1]\n\n[^1]: `c`')).toContain('<p>1,1 <a ')
    expect(own.render('`e`')).toBe('<p>1</p>')
  })
})

/** A table of contents in place of `[[toc]]`: a rule that looks at the whole document. */
const contents: RendererPlugin = (md) => {
  md.core.ruler.push('contents', ({ tokens, Token }) => {
    const names = tokens.flatMap(({ type }, index) =>
      type === 'heading_open' ? (tokens[index + 1]?.content ?? '') : [],
    )
    for (const token of tokens) {
      if (token.content !== '[[toc]]') continue
      const text = Object.assign(new Token('text', '', 0), { content: names.join(', ') })
      token.children = [text]
    }
  })
}

/** `{{html}}`, written as it is. */
const raw: RendererPlugin = (md) => {
  md.inline.ruler.before('emphasis', 'raw', (state, silent) => {
    const end = state.src.startsWith('{{', state.pos) ? state.src.indexOf('}}', state.pos) : -1
    if (end === -1) return false
    if (!silent) state.push('raw', '', 0).content = state.src.slice(state.pos + 2, end)
    state.pos = end + 2
    return true
  })
  md.renderer.rules['raw'] = (tokens, index) => tokens[index]?.content ?? ''
}

describe('plugins', () => {
  const render = (text: string, ...plugins: RendererPlugin[]): string =>
    createRenderer({ plugins }).render(text)

  it('may look at the whole document', () => {
    expect(render('[[toc]]\n\n# A\n\n## B', contents)).toBe(
      '<p>A, B</p>\n<h1 id="user-content-a">A</h1>\n<h2 id="user-content-b">B</h2>',
    )
  })

  it('write HTML that the policy judges like that of an author', () => {
    expect(render('a {{<kbd title="b" onclick="c">d</kbd>}}', raw)).toBe(
      '<p>a <kbd title="b">d</kbd></p>',
    )
    expect(render('{{<a href="javascript:a">b</a>}} {{&lt;}} {{<b>}}', raw)).toBe(
      '<p><a>b</a> &lt; <b></b></p>',
    )
    expect(render('> {{</blockquote></p></div><x-y>}}\n\na', raw)).not.toContain('x-y')
  })

  it.each([
    '<script>alert(1)</script>',
    '<script src="/a.js"></script>',
    '<SCRIPT>alert(1)',
    '<svg><script>alert(1)</script></svg>',
    '<scr<script>ipt>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<style>*{}</style>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<!--',
    '<a href="',
  ])('never write %s', (html) => {
    const rendered = render(`a {{${html}}} b\n\n- {{${html}}}\n\nc`, raw)
    expect(judge(rendered)).toEqual([])
    expect(rendered).toContain('<p>c</p>')
  })

  it('that push tokens of dangerous elements have them dropped', () => {
    const push: RendererPlugin = (md) => {
      md.core.ruler.push('push', (state) => {
        for (const tag of ['script', 'iframe', 'object', 'x"><script>']) {
          const [open, close] = [
            new state.Token('own_open', tag, 1),
            new state.Token('own_close', tag, -1),
          ]
          open.attrs = [
            ['src', 'javascript:alert(1)'],
            ['onload', 'alert(1)'],
            ['sandbox', ''],
          ]
          state.tokens.push(open, close)
        }
      })
    }
    expect(render('a', push)).toBe('<p>a</p>')
  })

  it('may have a rule for a start tag alone', () => {
    const titles: RendererPlugin = ({ renderer: { rules } }) => {
      rules['link_open'] = (tokens, index, options, _, self) => {
        tokens[index]?.attrSet('title', 't')
        return self.renderToken(tokens, index, options)
      }
      rules['paragraph_open'] = (tokens, index) => (tokens[index]?.hidden ? '' : '<p align="left">')
      rules['heading_open'] = (tokens, index) => `<h2 id="${tokens[index]?.attrGet('id')}">`
    }
    expect(render('> [a](/b) *c*\n\n- [d](/e) f\n\n# g\n\nh', titles)).toBe(
      `<blockquote>\n<p align="left"><a href="/b" title="t" ${REL}>a</a> <em>c</em></p>\n</blockquote>\n` +
        `<ul>\n<li><a href="/e" title="t" ${REL}>d</a> f</li>\n</ul>\n` +
        '<h2 id="user-content-g">g</h2>\n<p align="left">h</p>',
    )
  })

  it('may have a rule for an end tag alone, or put elements around others', () => {
    const around: RendererPlugin = ({ renderer: { rules } }) => {
      rules['strong_close'] = () => '</strong><sup>!</sup>'
      rules['table_open'] = () => '<figure><table>'
      rules['table_close'] = () => '</table><figcaption>b</figcaption></figure>'
    }
    expect(render('**a** c', around)).toBe('<p><strong>a<sup>!</sup></strong> c</p>')
    expect(render('> | a |\n> |---|\n\nc', around)).toBe(
      '<blockquote>\n<figure><table><thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n</table><figcaption>b</figcaption></figure>' +
        '</blockquote>\n<p>c</p>',
    )
  })

  it('keep headings, footnotes and alerts', () => {
    const text = '# a\n\n> [!NOTE]\n> b[^1]\n\n[^1]: c\n\nwww.d.example ==e=='
    const { version: _, ...plain } = createRenderer().renderDocument(text)
    expect(createRenderer({ plugins: [contents, raw] }).renderDocument(text)).toMatchObject(plain)
  })

  it('lose no text when their tokens are not in pairs', () => {
    const open: RendererPlugin = (md) => {
      md.core.ruler.push('open', (state) => {
        state.tokens.unshift(new state.Token('own_open', 'div', 1))
      })
    }
    expect(render('a\n\nb', open)).toBe('<div><p>a</p>\n<p>b</p>\n</div>')
  })
})
