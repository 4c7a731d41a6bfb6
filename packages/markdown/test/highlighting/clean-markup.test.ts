import { describe, expect, it } from 'vitest'
import { cleanMarkup } from '../../src/highlighting/clean-markup.ts'

describe('cleanMarkup', () => {
  it('normalizes valid markup', () => {
    expect(cleanMarkup('<span class="hljs-string">&#x27;a&quot;</span>', `'a"`)).toBe(
      `<span class="hljs-string">'a&quot;</span>`,
    )
    expect(cleanMarkup('<span class="hljs-title class_ inherited__">A</span>', 'A')).toContain(
      'inherited__',
    )
    expect(cleanMarkup('', '')).toBe('')
  })

  it('removes spans of languages', () => {
    expect(
      cleanMarkup('<span class="language-css"><span class="hljs-a">b</span></span>', 'b'),
    ).toBe('<span class="hljs-a">b</span>')
  })

  it('rejects spans that are nested too deeply', () => {
    const nested = (depth: number) =>
      `${'<span class="hljs-a">'.repeat(depth)}b${'</span>'.repeat(depth)}`
    expect(cleanMarkup(nested(32), 'b')).toBe(nested(32))
    expect(cleanMarkup(nested(33), 'b')).toBeNull()
  })

  it.each([
    ['<span class="hljs-a">b', 'b'],
    ['b</span>', 'b'],
    ['</span><span class="hljs-a">b', 'b'],
    ['<span class="x">b</span>', 'b'],
    ['<span class="hljs-a x">b</span>', 'b'],
    ['<span class="hljs-a" id="x">b</span>', 'b'],
    ['<SPAN class="hljs-a">b</SPAN>', 'b'],
    ['<b>b</b>', 'b'],
    ['<b>', '<b>'],
    ['&', '&'],
    ['b', 'c'],
    ['b', 'bb'],
  ])('refuses %j', (html, code) => {
    expect(cleanMarkup(html, code)).toBeNull()
  })
})
