import { describe, expect, it } from 'vitest'
import { MarkdownEditorElement } from '../../src/element/index.ts'

describe('the client on a server', () => {
  it('can be imported without a DOM', () => {
    expect(globalThis).not.toHaveProperty('HTMLElement')
    expect(MarkdownEditorElement.define).toBeTypeOf('function')
  })
})
