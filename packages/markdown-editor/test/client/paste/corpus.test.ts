import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { applyEdit, type TextState } from '../../../src/client/commands/edit.ts'
import { pasteEdit } from '../../../src/client/writing/paste/paste.ts'
import { parseTree } from './support/parse.ts'

const FOLDER = new URL('./corpus/', import.meta.url)
const EMPTY: TextState = { text: '', selectionStart: 0, selectionEnd: 0 }

const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.html'))
  .map((name) => name.slice(0, -'.html'.length))

/** What is in the clipboard, and what is to come of it. */
function sample(name: string): { html: string; text: string; expected: string } {
  const read = (type: string): string => {
    const file = new URL(`${name}.${type}`, FOLDER)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  return { html: read('html'), text: read('txt'), expected: read('md').replace(/\n$/, '') }
}

describe('what programs put into the clipboard', () => {
  it('is there in many samples', () => {
    expect(names.length).toBeGreaterThanOrEqual(30)
  })

  it.each(names)('%s', (name) => {
    const { html, text, expected } = sample(name)
    const edit = pasteEdit({ html, text }, EMPTY, { origin: 'https://here.example', parse: parseTree })
    const pasted = edit === null ? text.replaceAll('\r\n', '\n') : applyEdit(EMPTY, edit).text
    expect(pasted).toBe(expected)
  })
})
