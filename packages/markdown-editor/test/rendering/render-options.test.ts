import fc from 'fast-check'
import MarkdownIt, { type MarkdownIt as Parser } from 'markdown-it'
import { describe, expect, it, vi } from 'vitest'
import {
  defaultPolicy,
  extendPolicy,
  IncrementalRenderer,
  MarkdownRenderer,
  type MarkdownRendererOptions,
  type RenderedMedium,
  type RenderFinding,
} from '../../src/rendering/index.ts'
import { Verifier } from '../../src/rendering/verification/verifier.ts'
import { judge } from './support/judge.ts'
import { all, descendants, parseStrictly } from './support/strict-html.ts'

type Plugin = (md: Parser) => void
type Option = keyof MarkdownRendererOptions

const create = (options: MarkdownRendererOptions = {}): MarkdownRenderer =>
  new MarkdownRenderer({ markdownIt: MarkdownIt, ...options })
const rel = 'rel="nofollow ugc noopener"'

describe('an option that cannot be', () => {
  it.each<[Option, unknown]>([
    ['markdownIt', 'markdown-it'],
    ['markdownIt', {}],
    ['alertTitle' as Option, {}],
    ['onMedium', async () => ({ url: '/a.png' })],
    ['plugins', 'x'],
    ['plugins', [{}]],
    ['policy', null],
    ['policy', 5],
    ['policy', {}],
    ['policy', { schemes: { link: [] } }],
    ['policy', { ...defaultPolicy, embeds: undefined }],
    ['embedHosts', 'x'],
    ['embedHosts', [5]],
    ['embedHosts', null],
    ['highlight', 'x'],
    ['alertTitles', 'x'],
    ['alertTitles', null],
    ['alertTitles', { note: 5 }],
    ['alertTitles', { danger: 'a' }],
    ['onMedium', 5],
    ['maxLength', '5'],
    ['maxLength', 0],
    ['maxLength', Number.NaN],
  ])('is a TypeError that names it: %s: %j', (name, value) => {
    const options = { markdownIt: MarkdownIt, [name]: value }
    for (const make of [MarkdownRenderer, IncrementalRenderer]) {
      expect(() => new make(options)).toThrow(TypeError)
      expect(() => new make(options)).toThrow(new RegExp(`^The option "${name}" must be `))
    }
  })

  it('is none that is left undefined, nor null for what may be left out', () => {
    const names: readonly Option[] = ['plugins', 'policy', 'embedHosts', 'alertTitles', 'maxLength']
    const left = Object.fromEntries(names.map((name) => [name, undefined]))
    const options = { ...left, highlight: null, onMedium: null } as unknown as MarkdownRendererOptions
    expect(create(options).render('> [!NOTE]\n> a')).toContain('Note')
    expect(create({ alertTitles: { note: undefined } as object }).render('> [!NOTE]\n> a')).toContain('Note')
  })
})

describe('what options bring into a text', () => {
  it('loses NUL and lone surrogates', () => {
    const bad = '\ud800a\0b\udc00'
    const good = '\ufffda\ufffdb\ufffd'
    const plugin: Plugin = ({ renderer }) => {
      renderer.rules['code_inline'] = () => bad
    }
    const onMedium = () => ({ url: `/${bad}` })
    const own = create({ alertTitles: { note: bad }, onMedium, plugins: [plugin] })
    const html = own.render('> [!NOTE]\n> ![](/c) `d`')
    expect(html).toContain(`<p class="markdown-alert-title">${good}</p>`)
    expect(html).toContain(`<img src="/${good}" alt=""> ${good}`)
  })
})

describe('the environment of plugins', () => {
  const counting: Plugin = (parser) => {
    parser.core.ruler.push('words', ({ env, tokens }) => {
      const inline = tokens.filter(({ type }) => type === 'inline')
      Object.assign(env, { words: inline.map(({ content }) => content.split(' ').length) })
    })
    parser.renderer.rules['code_inline'] = (_tokens, _index, _options, env) => String(env?.['words'])
  }

  it('is one for their rules and those of the renderer, in footnotes too', () => {
    const own = create({ plugins: [counting] })
    expect(own.render('a b `c`\n\nd')).toBe('<p>a b 3,1</p>\n<p>d</p>')
    expect(own.render('a[^1]\n\n[^1]: `c`')).toContain('<p>1,1 <a ')
    expect(own.render('`e`')).toBe('<p>1</p>')
  })
})

describe('what functions of the options throw', () => {
  const errors = [
    new Error('mine'),
    new RangeError('Invalid array length'),
    new RangeError('Maximum call stack size exceeded'),
    'no error',
  ]
  const thrownBy = (work: () => unknown): unknown => {
    try {
      work()
    } catch (error) {
      return error
    }
    return undefined
  }

  it.each(errors)('comes through as it is: %s', (error) => {
    const throwing = (): never => {
      throw error
    }
    const plugin: Plugin = ({ renderer }) => {
      renderer.rules['code_inline'] = throwing
    }
    for (const options of [{ onMedium: throwing }, { highlight: throwing }, { plugins: [plugin] }]) {
      const text = '![a](/b) `c`\n\n```js\nd\n```'
      expect(thrownBy(() => create(options).render(text))).toBe(error)
      const incremental = new IncrementalRenderer({ markdownIt: MarkdownIt, ...options })
      incremental.update('a')
      expect(thrownBy(() => incremental.update(text))).toBe(error)
      expect(incremental.html).toBe('<p>a</p>')
    }
  })

  const rule = (error: unknown): Plugin => {
    return (parser) => {
      parser.core.ruler.push('throwing', () => {
        throw error
      })
    }
  }

  it('comes through from rules of the parser', () => {
    const error = new RangeError('Invalid array length')
    expect(thrownBy(() => create({ plugins: [rule(error)] }).render('a'))).toBe(error)
  })

  it.each([
    new RangeError('Maximum call stack size exceeded'),
    Object.assign(new Error('too much recursion'), { name: 'InternalError' }),
    new SyntaxError('Invalid regular expression: /a/: Stack overflow'),
  ])('is not what an engine throws that has no room left: %s', (error) => {
    expect(create({ plugins: [rule(error)] }).render('*a*')).toBe('*a*')
  })
})

describe('onFinding', () => {
  it('hears what the second layer finds, and where', () => {
    const findings: RenderFinding[] = []
    const options = { onFinding: (finding: RenderFinding) => void findings.push(finding) }
    const { verify } = Verifier.prototype
    const spy = vi.spyOn(Verifier.prototype, 'verify').mockImplementation(function (this: Verifier, html) {
      return html.includes('<em>')
        ? { position: html.indexOf('<em>'), reason: 'no em', open: ['p'] }
        : verify.call(this, html)
    })
    const text = '\na\n\nb *c*\n\nd'
    const incremental = new IncrementalRenderer({ markdownIt: MarkdownIt, ...options })
    const rendered = [create(options).render(text), create(options).renderDocument(text).html]
    incremental.update(text)
    spy.mockRestore()
    const html = '<p>a</p>\n<p>b &lt;em&gt;c&lt;/em&gt;&lt;/p&gt;\n</p><p>d</p>'
    expect([...rendered, incremental.html]).toEqual([html, html, html])
    const finding = { reason: 'no em', position: 5, html: '<p>b <em>c</em></p>\n', line: 3 }
    expect(findings).toEqual([finding, finding, finding])
  })

  it('hears of nothing else', () => {
    const onFinding = vi.fn()
    create({ onFinding }).render('<script>a</script> [b](javascript:c)')
    expect(onFinding).not.toHaveBeenCalled()
  })
})

describe('scope', () => {
  const renderer = create()
  const text = '# Note\n\na[^1] [top](#note) [own](#fn-1)\n\n[^1]: b'
  const idsOf = (html: string) =>
    descendants(parseStrictly(html)).flatMap(({ attributes }) => attributes.get('id') ?? [])

  it('is part of each id and each link to one', () => {
    const html = renderer.render(text, { scope: 'c-7' })
    expect(idsOf(html)).toEqual(['note', 'fnref-1', 'fn-1'].map((name) => `user-content-c-7.${name}`))
    const links = all(parseStrictly(html), 'a').map(({ attributes }) => attributes.get('href'))
    expect(links).toEqual(['fn-1', 'note', 'fn-1', 'fnref-1'].map((name) => `#user-content-c-7.${name}`))
    expect(renderer.renderDocument(text, { scope: 'c-7' }).headings[0]?.id).toBe('user-content-c-7.note')
    expect(judge(html)).toEqual([])
  })

  it('is an option of an incremental renderer', () => {
    const incremental = new IncrementalRenderer({ markdownIt: MarkdownIt, scope: 'c-7' })
    incremental.update(text)
    expect(incremental.html).toBe(renderer.render(text, { scope: 'c-7' }))
  })

  it('is part of links in raw HTML with white space before them', () => {
    expect(renderer.render('<a href=" #note">a</a> <a href=" /b">c</a>', { scope: 'c-7' })).toBe(
      `<p><a href="#user-content-c-7.note">a</a> <a href=" /b" ${rel}>c</a></p>`,
    )
  })

  it('is out of reach for the author of a text without one', () => {
    const html = renderer.render('<h1 id="user-content-c-7.fn-1">a</h1> <h2 id="user-content-own">b</h2>')
    expect(html).toBe('<h1>a</h1> <h2 id="user-content-own">b</h2>')
  })

  it('does not outlast its call', () => {
    renderer.render(text, { scope: 'c-7' })
    expect(idsOf(renderer.render(text))).toContain('user-content-note')
  })

  it('keeps the ids of two texts apart, whatever they are', () => {
    const scope = fc.stringMatching(/^[ab-]{1,3}$/)
    const name = fc.stringMatching(/^[ab.-]{1,4}$/)
    fc.assert(
      fc.property(scope, scope, fc.array(name), fc.array(name), (one, other, names, others) => {
        fc.pre(one !== other)
        const write = (scoped: string, ids: readonly string[]): string[] => {
          const own = ids.map(
            (id) => `# ${id}\n\n<a id="user-content-${scoped}.${id}">a</a> <a id="user-content-${id}">`,
          )
          return idsOf(renderer.render(`[^1]\n\n${own.join('\n\n')}\n\n[^1]: a`, { scope: scoped }))
        }
        const used = new Set(write(one, names))
        expect(write(other, others).filter((id) => used.has(id))).toEqual([])
      }),
    )
  })

  it.each(['', 'a b', 'a.b', 'a"b', 'ä', '#a', 'a\n', 'a'.repeat(101)])('%j is a TypeError', (scope) => {
    expect(() => renderer.render('a', { scope })).toThrow(/^The option "scope"/)
    expect(() => renderer.renderDocument('a', { scope })).toThrow(TypeError)
    expect(() => new IncrementalRenderer({ markdownIt: MarkdownIt, scope })).toThrow(TypeError)
  })
})

/** A table of contents in place of `[[toc]]`: a rule that looks at the whole document. */
const contents: Plugin = (md) => {
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
const raw: Plugin = (md) => {
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
  const render = (text: string, ...plugins: Plugin[]): string => create({ plugins }).render(text)

  it('may look at the whole document', () => {
    expect(render('[[toc]]\n\n# A\n\n## B', contents)).toBe(
      '<p>A, B</p>\n<h1 id="user-content-a">A</h1>\n<h2 id="user-content-b">B</h2>',
    )
  })

  it('write HTML that the policy judges like that of an author', () => {
    expect(render('a {{<kbd title="b" onclick="c">d</kbd>}}', raw)).toBe('<p>a <kbd title="b">d</kbd></p>')
    expect(render('{{<a href="javascript:a">b</a>}} {{&lt;}} {{<b>}}', raw)).toBe('<p><a>b</a> &lt; <b></b></p>')
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
    const push: Plugin = (md) => {
      md.core.ruler.push('push', (state) => {
        for (const tag of ['script', 'iframe', 'object', 'x"><script>']) {
          const [open, close] = [new state.Token('own_open', tag, 1), new state.Token('own_close', tag, -1)]
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
    const titles: Plugin = ({ renderer: { rules } }) => {
      rules['link_open'] = (tokens, index, options, _, self) => {
        tokens[index]?.attrSet('title', 't')
        return self.renderToken(tokens, index, options)
      }
      rules['paragraph_open'] = (tokens, index) => (tokens[index]?.hidden ? '' : '<p align="left">')
      rules['heading_open'] = (tokens, index) => `<h2 id="${tokens[index]?.attrGet('id')}">`
    }
    expect(render('> [a](/b) *c*\n\n- [d](/e) f\n\n# g\n\nh', titles)).toBe(
      `<blockquote>\n<p align="left"><a href="/b" title="t" ${rel}>a</a> <em>c</em></p>\n</blockquote>\n` +
        `<ul>\n<li><a href="/e" title="t" ${rel}>d</a> f</li>\n</ul>\n` +
        '<h2 id="user-content-g">g</h2>\n<p align="left">h</p>',
    )
  })

  it('may have a rule for an end tag alone, or put elements around others', () => {
    const around: Plugin = ({ renderer: { rules } }) => {
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
    const { version: _, ...plain } = create().renderDocument(text)
    expect(create({ plugins: [contents, raw] }).renderDocument(text)).toMatchObject(plain)
  })

  it('lose no text when their tokens are not in pairs', () => {
    const open: Plugin = (md) => {
      md.core.ruler.push('open', (state) => {
        state.tokens.unshift(new state.Token('own_open', 'div', 1))
      })
    }
    expect(render('a\n\nb', open)).toBe('<div><p>a</p>\n<p>b</p>\n</div>')
  })
})

describe('onMedium', () => {
  it('changes the URL, the size and the loading of media', () => {
    const own = create({
      onMedium: ({ element, url }) =>
        element === 'img'
          ? { url: `https://cdn.example${url}`, width: 10, height: 20, loading: 'lazy' }
          : { url: `${url}?a&b` },
    })
    const { html, media } = own.renderDocument('![a](/b.png) <img src="/c.png" width="5"> <audio src="/d.mp3"></audio>')
    expect(html).toBe(
      '<p><img src="https://cdn.example/b.png" alt="a" width="10" height="20" loading="lazy"> ' +
        '<img src="https://cdn.example/c.png" width="10" height="20" loading="lazy"> ' +
        '<audio src="/d.mp3?a&amp;b"></audio></p>',
    )
    expect(media.map(({ url }) => url)).toEqual(['/b.png', '/c.png', '/d.mp3'])
  })

  it('leaves media as they are when it gives nothing', () => {
    const text = '![a](/b.png)\n\n<video src="/c.mp4" poster="/d.png"></video>'
    expect(create({ onMedium: () => undefined }).render(text)).toBe(create().render(text))
    expect(create({ onMedium: () => ({}) }).render(text)).toBe(create().render(text))
  })

  it.each(['javascript:alert(1)', 'data:image/svg+xml,<svg>', ' java\tscript:alert(1)', 'mailto:a@b.example'])(
    'can not bring in %j',
    (url) => {
      const own = create({ onMedium: () => ({ url }) })
      expect(own.render('![a](/b.png)')).toBe('<p><img alt="a"></p>')
      // Without its address a source is nothing.
      const { html, removed } = own.renderDocument('a <video><source src="/b.mp4"></video> c')
      expect(html).toBe('<p>a <video></video> c</p>')
      expect(removed.map(({ kind }) => kind)).toEqual(['url', 'element'])
    },
  )

  it.each([null, undefined])('changes nothing with %s', (nothing) => {
    expect(create({ onMedium: () => nothing }).render('![a](/b.png)')).toBe('<p><img src="/b.png" alt="a"></p>')
  })

  it('has no say beyond its attributes, and its values are judged and escaped', () => {
    const change = { url: '/"><script>', width: -1, height: 1.5, loading: 'x', onerror: 'alert(1)' }
    const own = create({ onMedium: () => change as { url: string } })
    expect(own.render('![a](/b.png)')).toBe('<p><img src="/&quot;&gt;&lt;script&gt;" alt="a"></p>')
  })

  it('hears of each medium once per render, in order', () => {
    const heard: RenderedMedium[] = []
    const own = create({ onMedium: (medium) => void heard.push(medium) })
    const text = '![a](/1.png)\n\n> [![b](/2.png)](/c)\n\n[^1]\n\n[^1]: ![d](/3.png)\n\n<div>\n\n![e](/4.png)'
    for (const times of [1, 2]) {
      own.render(text)
      expect(heard.map(({ url }) => url)).toHaveLength(times * 4)
    }
    expect(heard.slice(0, 4).map(({ url }) => url)).toEqual(['/1.png', '/2.png', '/4.png', '/3.png'])
  })
})

describe('alertTitles', () => {
  const alertTitles = { note: 'Hinweis', tip: '<b>"&', important: '', warning: 'w', caution: 'c' }
  const titleOf = (kind: string, titles: MarkdownRendererOptions['alertTitles'] = alertTitles): string | undefined =>
    /markdown-alert-title">(.*)<\/p>/.exec(create({ alertTitles: titles }).render(`> [!${kind}]\n> a`))?.[1]

  it('stand in place of the markers, as text', () => {
    expect(['NOTE', 'tip', 'Warning'].map((kind) => titleOf(kind))).toEqual(['Hinweis', '&lt;b&gt;&quot;&amp;', 'w'])
  })

  it('are English where none is given', () => {
    expect(titleOf('TIP', { note: 'Hinweis' })).toBe('Tip')
    expect(titleOf('NOTE', { note: 'Hinweis' })).toBe('Hinweis')
  })
})

describe('a policy without frames', () => {
  const policy = extendPolicy({ elements: { iframe: null } })

  it('leaves the address of a video a link', () => {
    const page = 'https://youtu.be/dQw4w9WgXcQ'
    expect(create({ policy }).render(`${page}\n\nb`)).toBe(`<p><a href="${page}" ${rel}>${page}</a></p>\n<p>b</p>`)
    const frame = 'https://player.vimeo.com/video/1'
    for (const embedHosts of [undefined, ['player.vimeo.com']]) {
      expect(create({ policy, ...(embedHosts && { embedHosts }) }).render(`<iframe src="${frame}"></iframe>`)).toBe(
        `<a href="${frame}" ${rel}>${frame}</a>`,
      )
    }
  })
})

describe('embedHosts', () => {
  it('take the place of those of the policy', () => {
    const policy = extendPolicy({ embeds: [{ host: 'a.example', name: 'A', sandbox: 'allow-scripts' }] })
    const frames = (options: MarkdownRendererOptions): number =>
      create(options)
        .render('<iframe src="https://a.example/b"></iframe> <iframe src="https://c.example/d"></iframe>')
        .split('<iframe').length - 1
    expect([frames({}), frames({ policy }), frames({ policy, embedHosts: ['c.example'] })]).toEqual([0, 1, 1])
  })

  it('decide about addresses on lines of their own too', () => {
    const page = 'https://youtu.be/dQw4w9WgXcQ'
    expect(create({ embedHosts: ['www.youtube.com'] }).render(page)).toContain('src="https://www.youtube.com/embed/')
    expect(create({ embedHosts: [] }).render(page)).toMatch(/^<p><a /)
  })
})

describe('highlight', () => {
  const highlight = (code: string, language: string): string | null =>
    language === 'known' ? `<span class="hljs-string">${code}</span>` : null
  const renderer = create({ highlight })
  const fence = (code: string, language = 'known'): string => `\`\`\`${language}\n${code}\n\`\`\``
  const count = (text: string): number => renderer.render(text).split('<span').length - 1

  it('gets the code and the first word of the info string', () => {
    expect(renderer.render(fence('a', 'known {1}'))).toBe(
      '<pre><code class="language-known"><span class="hljs-string">a\n</span></code></pre>',
    )
  })

  it('leaves code plain in other languages and in none', () => {
    expect(renderer.render(fence('<a>', 'other'))).toBe('<pre><code class="language-other">&lt;a&gt;\n</code></pre>')
    expect(count(`${fence('a', '')}\n\n    b\n\n\`c\``)).toBe(0)
  })

  it('leaves code plain that is longer than 8,000 units, without counting it', () => {
    expect(count(fence('a'.repeat(7999)))).toBe(1)
    expect(count(fence('a'.repeat(8000)))).toBe(0)
    expect(count(`${fence('a'.repeat(49_000))}\n\n${fence('a'.repeat(5000))}`)).toBe(1)
  })

  it('leaves code plain behind the first 50,000 units of a document, as far as it does not fit', () => {
    const large = fence('a'.repeat(7999)) // 8,000 with its line break
    expect(count(Array(8).fill(large).join('\n\n'))).toBe(6)
    expect(count([...Array(6).fill(large), large, fence('b')].join('\n\n'))).toBe(7)
  })

  it('leaves code plain where no span can stand', () => {
    const html = renderer.render(`<table>\n\n${fence('a')}\n\n</table>`)
    expect(html).not.toContain('<span')
    expect(html).toContain('a')
    expect(judge(html)).toEqual([])
  })

  it.each([
    ['<img src=x onerror=alert(1)>'],
    ['</code></pre><h1 id="user-content-x">a</h1><pre><code>'],
    ['<iframe src="https://www.youtube.com/embed/x" sandbox="allow-scripts" allow="camera"></iframe>'],
    ['<span class="hljs-string">other code</span>'],
    ['<span class="hljs-string">a\n'],
  ])('leaves code plain when it gives more than the code and spans: %s', (result) => {
    expect(create({ highlight: () => result }).render(fence('a'))).toBe(
      '<pre><code class="language-known">a\n</code></pre>',
    )
  })

  it('is not asked when the policy has no spans for it', () => {
    const own = create({ highlight, policy: extendPolicy({ elements: { span: null } }) })
    expect(own.render(fence('a'))).toBe('<pre><code class="language-known">a\n</code></pre>')
  })
})
