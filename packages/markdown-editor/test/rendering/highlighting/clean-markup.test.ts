import { describe, expect, it } from 'vitest'
import { cleanMarkup } from '../../../src/rendering/highlighting/clean-markup.ts'

describe('cleanMarkup', () => {
  it('gives right markup in one form', () => {
    expect(cleanMarkup('<span class="hljs-string">&#x27;a&quot;</span>', `'a"`)).toBe(
      `<span class="hljs-string">'a&quot;</span>`,
    )
    expect(cleanMarkup('<span class="hljs-title class_ inherited__">A</span>', 'A')).toContain('inherited__')
    expect(cleanMarkup('', '')).toBe('')
  })

  it('takes out spans of languages, and those that are too deep', () => {
    expect(cleanMarkup('<span class="language-css"><span class="hljs-a">b</span></span>', 'b')).toBe(
      '<span class="hljs-a">b</span>',
    )
    const deep = `${'<span class="hljs-a">'.repeat(1000)}b${'</span>'.repeat(1000)}`
    expect(cleanMarkup(deep, 'b')).toBe(`${'<span class="hljs-a">'.repeat(16)}b${'</span>'.repeat(16)}`)
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
