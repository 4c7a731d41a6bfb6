import { describe, expect, it } from 'vitest'
import { applyEdit, type TextState } from '../../src/commands/edit.ts'
import { pasteEdit } from '../../src/paste/paste.ts'
import { parseTree } from './support/parse.ts'
import { readSamples } from './support/samples.ts'

const EMPTY: TextState = { text: '', selectionStart: 0, selectionEnd: 0 }

describe('clipboard contents of other programs', () => {
  const samples = readSamples()

  it('are present in many samples', () => {
    expect(samples.length).toBeGreaterThanOrEqual(30)
  })

  it.each(samples)('$name', ({ html, plain, markdown }) => {
    const edit = pasteEdit({ html, text: plain }, EMPTY, {
      origin: 'https://here.example',
      parse: parseTree,
    })
    expect(edit === null ? plain.replaceAll('\r\n', '\n') : applyEdit(EMPTY, edit).text).toBe(
      markdown,
    )
  })
})
