import { describe, expect, it } from 'vitest'
import { MarkdownEditorElement, TEXT_COMMANDS } from '../../src/element/index.ts'

describe('the client on a server', () => {
  it('can be imported without a DOM', () => {
    expect(globalThis).not.toHaveProperty('HTMLElement')
    expect(MarkdownEditorElement.define).toBeTypeOf('function')
    expect(TEXT_COMMANDS.bold.run({ text: 'a', selectionStart: 0, selectionEnd: 1 })?.insert).toBe(
      '**a**',
    )
  })
})
