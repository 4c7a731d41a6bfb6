import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TEXT_COMMANDS, type TextCommandName } from '../../src/commands/commands.ts'
import { continueLine, removeMarker } from '../../src/commands/continue.ts'
import { applyEdit, type Edit, editBetween, type TextState } from '../../src/commands/edit.ts'
import { tableAtLine } from '../../src/commands/tables.ts'
import { run } from '../support/caret.ts'

const pieces = [
  ...['a', 'bc', 'é', '日', '𝒳', '👩‍💻', ' ', '  ', '\t', '\n', '\n\n', '\\', '.', '7'],
  ...['*', '**', '_', '__', '~', '~~', '==', '^', '`', '``', '```', '~~~', '```js\n', '\n```\n'],
  ...[
    '> ',
    '>',
    '- ',
    '* ',
    '1. ',
    '12) ',
    '- [ ] ',
    '[x] ',
    '# ',
    '###### ',
    '|',
    '---',
    '[',
    '](',
    ')',
    '<',
  ],
]

const states: fc.Arbitrary<TextState> = fc
  .tuple(
    ...[0, 1, 2].map(() =>
      fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')),
    ),
  )
  .map(([before = '', selected = '', after = '']) => ({
    text: before + selected + after,
    selectionStart: before.length,
    selectionEnd: before.length + selected.length,
  }))

const check = (holds: (state: TextState) => void): void =>
  fc.assert(fc.property(states, holds), { numRuns: 600 })

const selectedText = ({ text, selectionStart, selectionEnd }: TextState): string =>
  text.slice(selectionStart, selectionEnd)

/** For example, `~` next to `~~` becomes `~~~`. */
const makesFence = (state: TextState): boolean =>
  /\s/.test(selectedText(state)) && /~|`{3}/.test(state.text)

/** Strikethrough and subscript may replace each other, because both use `~`. */
const changesTilde = (state: TextState, name: TextCommandName): boolean =>
  (name === 'strikethrough' || name === 'subscript') && state.text.includes('~')

/** If a part of the selection may be marked, as in `a_b_c`, the first use marks the whole. */
const isPartlyMarked = (state: TextState, name: TextCommandName): boolean =>
  (inline as readonly string[]).includes(name) &&
  (/\s|\|/.test(selectedText(state))
    ? /[*_=^~]/.test(state.text)
    : /[^*_]([*_]).+\1[^*_]/.test(selectedText(state)))

const inline = [
  'bold',
  'italic',
  'strikethrough',
  'highlight',
  'superscript',
  'subscript',
  'code',
] as const
const lists = ['unordered-list', 'ordered-list', 'task-list'] as const
const toggles = [...inline, ...lists, 'quote', 'code-block'] as const

describe('text commands, for any text and selection', () => {
  it.each(toggles)('%s twice restores the text if the first use added the mark', (name) => {
    check((state) => {
      const isActive = TEXT_COMMANDS[name].isActive?.(state) ?? false
      const converts =
        name.endsWith('-list') &&
        /(^|\n)[ \t>]*([-*+]|\d+[.)]|\[[ xX]\])([ \t]|\n|$)/.test(state.text)
      fc.pre(!isActive && !converts && !makesFence(state) && !isPartlyMarked(state, name))
      fc.pre(!changesTilde(state, name))
      // If the first use only moves an existing mark, the text does not become longer.
      fc.pre(run(state, name).text.length > state.text.length)
      const { text, selectionStart, selectionEnd } = run(state, name, name)
      expect(text).toBe(state.text)
      // A backslash before the selection would escape the mark, so the command also selects the
      // backslash.
      if (!state.text.includes('\\'))
        expect([selectionStart, selectionEnd]).toEqual([state.selectionStart, state.selectionEnd])
    })
  })

  it.each(inline)('%s alternates from the second use on', (name) => {
    check((state) => {
      fc.pre(!makesFence(state) && !changesTilde(state, name) && !state.text.includes('\\'))
      fc.pre(name !== 'code' || !selectedText(state).includes('\n')) // Otherwise, code-block runs.
      const uses = (count: number): string =>
        run(state, ...Array.from({ length: count }, () => name)).text
      // With nested marks of the same meaning, the first uses remove one pair after the other.
      const first = (state.text.match(/([*_~=^`])\1*/g)?.length ?? 0) < 2 ? 2 : 20
      expect(uses(first + 2)).toBe(uses(first))
    })
  })

  it('heading used seven times restores the text', () => {
    check((state) => {
      fc.pre(!/#/.test(state.text))
      expect(run(state, ...Array.from({ length: 7 }, () => 'heading' as const)).text).toBe(
        state.text,
      )
    })
  })

  it.each(inline)('%s keeps the selection on the same characters', (name) => {
    check((state) => {
      fc.pre(name !== 'code' || !selectedText(state).includes('\n'))
      const characters = (text: string): string => text.replace(/[*_~=^` ]/g, '').trim()
      const before = characters(selectedText(state))
      const after = characters(selectedText(run(state, name)))
      // The selection may grow by text that the mark includes.
      expect(after).toContain(before)
      if (!/[*_~=^`\\]/.test(state.text)) expect(after).toBe(before)
    })
  })

  it.each(['horizontal-rule', 'table', 'details'] as const)(
    '%s deletes only white space and the box of an empty task',
    (name) => {
      check((state) => {
        const box = /\s+(?:(?<=[-*+.)]\s+)\[[ xX]\]\s*)?$/
        const letters = (text: string): string[] =>
          text.split('\n').map((line) => line.replace(box, ''))
        const after = letters(run(state, name).text)
        let from = 0
        for (const line of letters(state.text).filter((each) => each !== '')) {
          from = after.findIndex((each, index) => index >= from && each.includes(line)) + 1
          expect(from).toBeGreaterThan(0)
        }
      })
    },
  )

  it.each(Object.keys(TEXT_COMMANDS) as TextCommandName[])(
    '%s returns a selection inside the text',
    (name) => {
      check((state) => {
        const { text, selectionStart, selectionEnd } = run(state, name)
        expect(selectionStart).toBeGreaterThanOrEqual(0)
        expect(selectionEnd).toBeGreaterThanOrEqual(selectionStart)
        expect(selectionEnd).toBeLessThanOrEqual(text.length)
      })
    },
  )
})

/** Checks that an edit is minimal: old and new text differ at both ends, except in surrogates. */
function expectSmallest({ text }: TextState, { start, end, insert }: Edit): void {
  const removed = text.slice(start, end)
  const isHalf = (unit = ''): boolean => !unit.isWellFormed()
  if (removed === '' || insert === '') return
  expect(removed[0] !== insert[0] || isHalf(insert[0])).toBe(true)
  expect(removed.at(-1) !== insert.at(-1) || isHalf(insert.at(-1))).toBe(true)
}

describe('each command', () => {
  it.each(Object.keys(TEXT_COMMANDS) as TextCommandName[])(
    '%s does not split a character',
    (name) => {
      check((state) => {
        const edit = TEXT_COMMANDS[name].run(state)
        if (edit === null) return
        expect(edit.insert.isWellFormed()).toBe(true)
        expect(state.text.slice(edit.start, edit.end).isWellFormed()).toBe(true)
      })
    },
  )

  it.each([...toggles, 'heading', 'heading-2', 'indent', 'outdent'] as const)(
    '%s changes as little as possible',
    (name) => {
      check((state) => {
        const edit = TEXT_COMMANDS[name].run(state)
        if (edit !== null) expectSmallest(state, edit)
      })
    },
  )

  it('Enter and Backspace return an edit inside the text', () => {
    for (const command of [continueLine, removeMarker]) {
      check((state) => {
        const edit = command(state)
        if (edit === null) return
        const { text, selectionStart, selectionEnd } = applyEdit(state, edit)
        expect(selectionStart).toBe(selectionEnd)
        expect(selectionEnd).toBeLessThanOrEqual(text.length)
        expectSmallest(state, edit)
        const letters = (each: string): string =>
          each.replace(/\[[ xX]\]/g, '').replace(/[^\p{L}]/gu, '')
        const { text: before, selectionStart: from, selectionEnd: to } = state
        const rest = letters(before.slice(0, from) + before.slice(to))
        // Enter in a table moves to the cell below, and does not delete the selected text.
        const isInTable = command === continueLine && tableAtLine(state) !== null
        expect(isInTable ? [rest, letters(before)] : [rest]).toContain(letters(text))
      })
    }
  })
})

describe('editBetween', () => {
  it('changes any state into any other without splitting a character', () => {
    fc.assert(
      fc.property(states, states, (from, to) => {
        const edit = editBetween(from, to)
        if (edit === null) return expect(from).toEqual(to)
        expect(applyEdit(from, edit)).toEqual(to)
        expect(edit.insert.isWellFormed()).toBe(true)
        expect(from.text.slice(edit.start, edit.end).isWellFormed()).toBe(true)
        expectSmallest(from, edit)
      }),
      { numRuns: 400 },
    )
  })
})
