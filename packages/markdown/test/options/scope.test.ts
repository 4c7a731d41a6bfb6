import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { IncrementalRenderer } from '../../src/index.ts'
import { createRenderer, REL } from '../support/create-renderer.ts'
import { judge } from '../support/judge.ts'
import { all, descendants, parseStrictly } from '../support/strict-html.ts'

describe('scope', () => {
  const renderer = createRenderer()
  const text = '# Note\n\na[^1] [top](#note) [own](#fn-1)\n\n[^1]: b'
  const idsOf = (html: string) =>
    descendants(parseStrictly(html)).flatMap(({ attributes }) => attributes.get('id') ?? [])

  it('is part of each id and each link to one', () => {
    const html = renderer.render(text, { scope: 'c-7' })
    expect(idsOf(html)).toEqual(
      ['note', 'fnref-1', 'fn-1'].map((name) => `user-content-c-7.${name}`),
    )
    const links = all(parseStrictly(html), 'a').map(({ attributes }) => attributes.get('href'))
    expect(links).toEqual(
      ['fn-1', 'note', 'fn-1', 'fnref-1'].map((name) => `#user-content-c-7.${name}`),
    )
    expect(renderer.renderDocument(text, { scope: 'c-7' }).headings[0]?.id).toBe(
      'user-content-c-7.note',
    )
    expect(judge(html)).toEqual([])
  })

  it('is an option of an incremental renderer', () => {
    const incremental = new IncrementalRenderer({ markdownIt: MarkdownIt, scope: 'c-7' })
    incremental.update(text)
    expect(incremental.html).toBe(renderer.render(text, { scope: 'c-7' }))
  })

  it('is part of links in raw HTML with white space before them', () => {
    expect(renderer.render('<a href=" #note">a</a> <a href=" /b">c</a>', { scope: 'c-7' })).toBe(
      `<p><a href="#user-content-c-7.note">a</a> <a href=" /b" ${REL}>c</a></p>`,
    )
  })

  it('cannot be used by the author of a text without a scope', () => {
    const html = renderer.render(
      '<h1 id="user-content-c-7.fn-1">a</h1> <h2 id="user-content-own">b</h2>',
    )
    expect(html).toBe('<h1>a</h1> <h2 id="user-content-own">b</h2>')
  })

  it('applies only to its call', () => {
    renderer.render(text, { scope: 'c-7' })
    expect(idsOf(renderer.render(text))).toContain('user-content-note')
  })

  it('separates the ids of any two texts', () => {
    const scope = fc.stringMatching(/^[ab-]{1,3}$/)
    const name = fc.stringMatching(/^[ab.-]{1,4}$/)
    fc.assert(
      fc.property(scope, scope, fc.array(name), fc.array(name), (one, other, names, others) => {
        fc.pre(one !== other)
        const write = (scoped: string, ids: readonly string[]): string[] => {
          const own = ids.map(
            (id) =>
              `# ${id}\n\n<a id="user-content-${scoped}.${id}">a</a> <a id="user-content-${id}">`,
          )
          return idsOf(renderer.render(`[^1]\n\n${own.join('\n\n')}\n\n[^1]: a`, { scope: scoped }))
        }
        const used = new Set(write(one, names))
        expect(write(other, others).filter((id) => used.has(id))).toEqual([])
      }),
    )
  })

  it.each(['', 'a b', 'a.b', 'a"b', 'ä', '#a', 'a\n', 'a'.repeat(101)])(
    '%j is a TypeError',
    (scope) => {
      expect(() => renderer.render('a', { scope })).toThrow(/^The option "scope"/)
      expect(() => renderer.renderDocument('a', { scope })).toThrow(TypeError)
      expect(() => new IncrementalRenderer({ markdownIt: MarkdownIt, scope })).toThrow(TypeError)
    },
  )
})
