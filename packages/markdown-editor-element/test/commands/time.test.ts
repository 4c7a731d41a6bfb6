import { describe, expect, it } from 'vitest'
import { cpuSeconds } from '../../../../tests/support/cpu-seconds.ts'
import { TEXT_COMMANDS, type TextCommandName } from '../../src/commands/commands.ts'
import { continueLine } from '../../src/commands/continue.ts'
import type { TextState } from '../../src/commands/edit.ts'
import { indentLines, outdentLines } from '../../src/commands/indent.ts'
import { escapeLabel } from '../../src/contract/media-markdown.ts'
import { isVerbatim } from '../../src/dialogs/completion/find-word.ts'
import { type LinkValues, linkMarkdown, oneLine } from '../../src/dialogs/link-text.ts'
import { pasteEdit } from '../../src/paste/paste.ts'
import { run } from '../support/caret.ts'

describe('the time of a command', () => {
  const names = Object.keys(TEXT_COMMANDS) as TextCommandName[]
  const line = '- some **words** and `code` in a line | x'

  /** Returns the shortest of three times, in milliseconds, of a command with all text selected. */
  const measure = (name: TextCommandName, text: string): number => {
    const state = { text, selectionStart: 0, selectionEnd: text.length }
    const command = (): void => {
      TEXT_COMMANDS[name].isActive?.(state)
      run(state, name)
    }
    return 1000 * cpuSeconds(command, 0)
  }

  /** A quadratic algorithm takes 400 times as long for a text of 20 times the length. */
  const expectLinear = (name: TextCommandName, write: (count: number) => string): void => {
    measure(name, write(300))
    expect(measure(name, write(6000))).toBeLessThan(100 * measure(name, write(300)) + 100)
  }

  it.each(names)('is linear in the text: %s', (name) => {
    expectLinear(name, (count) => Array.from({ length: count }, () => line).join('\n'))
  })

  it.each(['bold', 'code'] as const)('is linear in one line of many marks: %s', (name) => {
    expectLinear(name, (count) => '| `ab '.repeat(count))
    expectLinear(name, (count) => '**a '.repeat(count))
    expectLinear(name, (count) =>
      Array.from({ length: Math.sqrt(count * 8) }, (_, index) => `${'`'.repeat(index + 1)} `).join(
        '',
      ),
    )
  })

  const LENGTH = 40_000
  const runs = [...'`*_~=[(\\>-#|'].map((sign): [string, string] => [
    `runs of ${sign}`,
    sign.repeat(LENGTH),
  ])

  it.each<[string, string]>([
    ...runs,
    ['separate backticks', '` '.repeat(LENGTH / 2)],
    ['escaped brackets', '[\\'.repeat(LENGTH / 2)],
    ['unclosed links', `[a](${' '.repeat(LENGTH)}x`],
    ['quotes in a code block', `\`\`\`\n${'> '.repeat(LENGTH / 2)}x`],
    ['tildes and a line separator', `${'~'.repeat(3 * LENGTH)}\u2028`],
    ['the delimiter row of a table, with spaces after it', `a|b\n-|-${' '.repeat(LENGTH)}:-`],
    ['the delimiter row of a table, with spaces', `a|b\n|-${' '.repeat(LENGTH)}x`],
  ])('is short for every command: %s', (_, text) => {
    const { length } = text
    const states = [0, length].map((selectionStart) => ({
      text,
      selectionStart,
      selectionEnd: length,
    }))
    const runAll = (): void => {
      for (const state of states) {
        for (const name of names) {
          TEXT_COMMANDS[name].isActive?.(state)
          TEXT_COMMANDS[name].run(state)
        }
        for (const command of [continueLine, indentLines, outdentLines]) command(state)
      }
    }
    // All commands together take a few tenths of a second. A quadratic algorithm takes far longer.
    expect(cpuSeconds(runAll, 4)).toBeLessThan(4)
  })
})

describe('the time of reading a line', () => {
  const LENGTH = 200_000
  const at = (text: string): TextState => ({ text, selectionStart: 0, selectionEnd: text.length })
  const options = { origin: '', parse: (): never => expect.fail('there is no HTML') }
  const address = { html: '', text: 'https://a.example' }

  it.each<[string, (text: string) => unknown, string]>([
    [
      'the starts of many links',
      (text) => isVerbatim(text, text.length),
      `${'](<'.repeat(LENGTH / 3)})>`,
    ],
    [
      'a mail address with many special characters',
      (text) => linkMarkdown(mail(text)),
      `mailto:${'@'.repeat(LENGTH)} `,
    ],
    [
      'a paste over the starts of links',
      (text) => pasteEdit(address, at(text), options),
      ']('.repeat(LENGTH / 2),
    ],
    [
      'a paste between line separators',
      (text) => pasteEdit(address, at(text), options),
      '\u2028['.repeat(LENGTH / 2),
    ],
    ['a label with many spaces', (text) => oneLine(text), `${'\t'.repeat(LENGTH)}x`],
    ['a label with many underscores', escapeLabel, ' _a'.repeat(LENGTH / 3)],
  ])('is linear: %s', (_, read, text) => {
    expect(cpuSeconds(() => read(text), 2)).toBeLessThan(2)
  })
})

function mail(address: string): LinkValues {
  return { label: '', address, title: '' }
}
