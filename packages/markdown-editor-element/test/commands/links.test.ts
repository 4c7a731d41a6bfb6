import { describe, expect, it } from 'vitest'
import { runOn } from '../support/caret.ts'

describe('link', () => {
  it('links the selection or the word and selects the address', () => {
    expect(runOn('hello |world|', 'link')).toBe('hello [world](|url|)')
    expect(runOn('hello wor|ld', 'link')).toBe('hello [world](|url|)')
    expect(runOn('|', 'link')).toBe('[|text|](url)')
  })

  it('uses a selected address as the address', () => {
    expect(runOn('see |https://example.org/a|', 'link')).toBe('see [|text|](https://example.org/a)')
  })

  it('removes a link that has no address', () => {
    expect(runOn('hello |world|', 'link', 'link')).toBe('hello |world|')
    expect(runOn('|one\ntwo|', 'link', 'link')).toBe('|one\ntwo|')
    expect(runOn('|', 'link', 'link')).toBe('|')
  })

  it('never removes a word of the user', () => {
    expect(runOn('my text|', 'link', 'link')).toBe('my |text|')
  })

  it('escapes the label, and restores the text', () => {
    expect(runOn('|a]b|', 'link')).toBe('[a\\]b](|url|)')
    expect(runOn('|a]b|', 'link', 'link')).toBe('|a]b|')
    expect(runOn('|a\\|', 'link')).toBe('[a\\\\](|url|)')
    expect(runOn('|a\\|', 'link', 'link')).toBe('|a\\|')
    expect(runOn('|![a](b)|', 'link')).toBe('[![a](b)](|url|)')
    expect(runOn('|[a] b|', 'link', 'link')).toBe('|[a] b|')
  })

  it('stays in its paragraph', () => {
    expect(runOn('|one\n\ntwo|', 'link')).toBe('[one](|url|)\n\ntwo')
    expect(runOn('|- one\n- two|', 'link')).toBe('- [one](|url|)\n- two')
  })

  it('selects the address of an existing link', () => {
    expect(runOn('a [wor|ld](https://example.org) b', 'link')).toBe(
      'a [world](|https://example.org|) b',
    )
    expect(runOn('a [wor|ld](<b c>) b', 'link')).toBe('a [world](<|b c|>) b')
  })
})
