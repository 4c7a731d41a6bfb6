import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from '../../src/highlighting/highlight-languages.ts'
import {
  createHighlighter,
  type HighlightJs,
  type LanguageDefinition,
  maxHighlightedBlock,
} from '../../src/highlighting/highlighter.ts'
import { findHighlighter } from '../../src/node/find-highlighter.ts'
import { SAMPLES } from './samples.ts'

const require = createRequire(import.meta.url)
const core = require('highlight.js/lib/core') as HighlightJs
const language = (name: string) =>
  require(`highlight.js/lib/languages/${name}`) as LanguageDefinition
const highlight = findHighlighter(DEFAULT_HIGHLIGHT_LANGUAGES)!
const shown = (html: string) =>
  html
    .replace(/<\/?span[^>]*>/g, '')
    .replace(
      /&(lt|gt|quot|amp);/g,
      (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name]!,
    )

describe('a highlighter', () => {
  it('returns escaped text with spans around its parts', () => {
    expect(highlight(`let a = "<b>" // it's`, 'javascript')).toBe(
      '<span class="hljs-keyword">let</span> a = <span class="hljs-string">&quot;&lt;b&gt;&quot;</span> ' +
        `<span class="hljs-comment">// it's</span>`,
    )
  })

  it.each(['js', 'JavaScript', 'language-js', 'LANG-jsx'])(
    'supports %s like highlight.js',
    (name) => {
      expect(highlight('let a', name)).toBe('<span class="hljs-keyword">let</span> a')
    },
  )

  it.each(['ts', 'sh', 'html', 'c++', 'C#', 'yml', 'py', 'md'])('supports the alias %s', (name) => {
    expect(highlight('', name)).toBe('')
  })

  it.each(['', 'klingon', 'constructor', '__proto__', 'language-', 'erlang'])(
    'returns null for %j',
    (name) => {
      expect(highlight('a', name)).toBeNull()
    },
  )

  it('returns null for a block that is too long', () => {
    expect(highlight('a'.repeat(maxHighlightedBlock), 'css')).not.toBeNull()
    expect(highlight('a'.repeat(maxHighlightedBlock + 1), 'css')).toBeNull()
  })

  it('returns null for code that is nested too deeply, for any remaining stack size', () => {
    const nested = (depth: number) => `${'`${'.repeat(depth)}1${'}`'.repeat(depth)}`
    expect(highlight(nested(10), 'js')).toContain('hljs-subst')
    expect(highlight(nested(17), 'js')).toBeNull()
    expect(highlight(nested(1500), 'js')).toBeNull()
  })

  it('highlights parts in other languages, without their classes', () => {
    const html = highlight('<style>a{}</style>', 'html')
    expect(html).toContain('<span class="hljs-selector-tag">a</span>')
    expect(html).not.toContain('language-')
    expect(
      createHighlighter(core, { xml: language('xml') })('<style>a{}</style>', 'html'),
    ).toContain('>a{}<')
  })

  it('does not detect the language of code for a grammar that requests it', () => {
    const http = createHighlighter(core, { http: language('http'), json: language('json') })
    expect(http('POST / HTTP/1.1\ncontent-type: x\n\n{"a": true}', 'http')).toContain(
      '{&quot;a&quot;: true}',
    )
  })

  it('returns null if a grammar fails or returns its own classes', () => {
    const broken = { contains: [{ begin: /a/, 'on:begin': () => expect.fail('no') }] }
    expect(createHighlighter(core, { broken: () => broken })('a', 'broken')).toBeNull()
    const uncompiled = { contains: ['self'] }
    expect(createHighlighter(core, { uncompiled: () => uncompiled })('a', 'uncompiled')).toBeNull()
    const scoped = (scope: string) =>
      createHighlighter(core, { x: () => ({ contains: [{ match: /a/, scope }] }) })
    expect(scoped('title.class')('a', 'x')).toBe('<span class="hljs-title class_">a</span>')
    expect(scoped('x"onclick="alert(1)')('a', 'x')).toBeNull()
  })

  it('does not change the highlight.js of the application', () => {
    createHighlighter(core, { css: language('css') })
    expect(core.getLanguage('css')).toBeUndefined()
  })

  it('keeps the text of any code', () => {
    const pieces = Object.values(SAMPLES).flatMap((sample) => sample.split(/(?<=\W)/))
    const code = fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary' })))
      .map((all) => all.join(''))
    fc.assert(
      fc.property(code, fc.constantFrom(...DEFAULT_HIGHLIGHT_LANGUAGES), (text, name) => {
        const html = highlight(text, name)
        expect(html ?? '').toMatch(
          /^(?:[^<>&"]|&(?:amp|lt|gt|quot);|<span class="hljs-[a-z_-]+(?: [a-z]+_+)*">|<\/span>)*$/,
        )
        expect(shown(html ?? '')).toBe(html === null ? '' : text)
      }),
      { numRuns: 100 },
    )
  })
})

describe('the default languages', () => {
  it('include the languages embedded in them', () => {
    const inner = (value: unknown, seen: Set<unknown>): string[] => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return []
      seen.add(value)
      const own = 'subLanguage' in value ? [value.subLanguage].flat().map(String) : []
      return [...own, ...Object.values(value).flatMap((member) => inner(member, seen))]
    }
    const found = DEFAULT_HIGHLIGHT_LANGUAGES.flatMap((name) =>
      inner(language(name)(core as never), new Set()),
    )
    expect(found).toContain('css')
    expect(DEFAULT_HIGHLIGHT_LANGUAGES).toEqual(expect.arrayContaining([...new Set(found)]))
  })
})
