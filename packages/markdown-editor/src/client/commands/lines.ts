import { applyEdit, type Command, type Edit, editBetween, type TextState } from './edit.ts'
import { lineRange } from './selection.ts'

/** A change of one line: at column `at`, `added` takes the place of `removed` characters. */
export interface LineChange {
  readonly at: number
  readonly removed: number
  readonly added: string
}

// What a block stands in: quote marks and indentation.
const CONTAINER = /^(?:[ \t]*>[ \t]?)*[ \t]*/
const LIST_MARK = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\](?:[ \t]+|$))?/
const QUOTE_MARK = /^ {0,3}> ?/
const HEADING_MARK = /^#{1,6}(?:[ \t]+|$)/

const UNORDERED = /^[-*+](?:[ \t]+(?![ \t]|\[[ xX]\](?:[ \t]|$))|$)/
const ORDERED = /^\d{1,9}[.)](?:[ \t]+|$)/
const TASK = /^[-*+][ \t]+\[[ xX]\](?:[ \t]+|$)/

/** The quote marks and the indentation at the start of a line. */
export function containerOf(line: string): string {
  return CONTAINER.exec(line)?.[0] ?? ''
}

/** The mark of a list item at the start of a text, or `''`. */
export function listMarkOf(rest: string): string {
  return LIST_MARK.exec(rest)?.[0] ?? ''
}

/** A command on the selected lines, and whether they have it already. */
export interface LineCommand {
  readonly run: Command
  readonly isActive: (state: TextState) => boolean
}

/** Quotes the selected lines, or takes one level of quoting away when all are quoted. */
export const quote: LineCommand = {
  run: (state) => {
    const lines = linesOf(state)
    if (isQuoted(lines)) {
      return changeLines(state, (line) => ({ at: 0, removed: QUOTE_MARK.exec(line)?.[0].length ?? 0, added: '' }))
    }
    return changeLines(state, (line) => ({ at: 0, removed: 0, added: line === '' && lines.length > 1 ? '>' : '> ' }))
  },
  isActive: (state) => isQuoted(linesOf(state)),
}

/** Makes the selected lines list items of a kind, or takes the marks away when all are of it. */
export const LIST_COMMANDS: Readonly<Record<'unordered-list' | 'ordered-list' | 'task-list', LineCommand>> = {
  'unordered-list': listCommand(UNORDERED, () => '- '),
  'ordered-list': listCommand(ORDERED, (index) => `${index + 1}. `),
  'task-list': listCommand(TASK, () => '- [ ] '),
}

/** Makes the selected lines headings of the next level: 1 to 6, then plain text again. */
export const heading: LineCommand = {
  run: (state) => {
    const level = (headingLevel(state) + 1) % 7
    const added = level === 0 ? '' : `${'#'.repeat(level)} `
    return changeContent(state, (rest, at) => {
      const item = itemMarkLength(rest)
      return { at: at + item, removed: HEADING_MARK.exec(rest.slice(item))?.[0].length ?? 0, added }
    })
  },
  isActive: (state) => headingLevel(state) > 0,
}

/** Changes each selected line; what was selected stays selected. */
export function changeLines(state: TextState, change: (line: string) => LineChange | null): Edit | null {
  const range = lineRange(state)
  const shifts: ((offset: number) => number)[] = []
  let offset = range.start
  const lines = linesOf(state).map((line) => {
    const { at, removed, added } = change(line) ?? { at: 0, removed: 0, added: '' }
    const from = offset + at
    shifts.push((position) => {
      if (position < from) return 0
      return added.length - Math.min(removed, position - from)
    })
    offset += line.length + 1
    return line.slice(0, at) + added + line.slice(at + removed)
  })
  const moved = (position: number): number => shifts.reduce((sum, shift) => sum + shift(position), position)
  const edit: Edit = {
    ...range,
    insert: lines.join('\n'),
    selectionStart: moved(state.selectionStart),
    selectionEnd: moved(state.selectionEnd),
  }
  return editBetween(state, applyEdit(state, edit))
}

/** Changes what stands behind quote marks and indentation, in the lines that are not blank, or in all if all are. */
function changeContent(state: TextState, change: (rest: string, at: number) => LineChange): Edit | null {
  const allBlank = contentsOf(state).every((rest) => rest === '')
  return changeLines(state, (line) => {
    const at = containerOf(line).length
    return at < line.length || allBlank ? change(line.slice(at), at) : null
  })
}

function listCommand(kind: RegExp, markFor: (index: number) => string): LineCommand {
  const isActive = (state: TextState): boolean => {
    const contents = contentsOf(state).filter((rest) => rest !== '')
    return contents.length > 0 && contents.every((rest) => kind.test(rest))
  }
  return {
    isActive,
    run: (state) => {
      const remove = isActive(state)
      let index = 0
      return changeContent(state, (rest, at) => ({
        at,
        removed: listMarkOf(rest).length,
        added: remove ? '' : markFor(index++),
      }))
    },
  }
}

function linesOf(state: TextState): string[] {
  const { start, end } = lineRange(state)
  return state.text.slice(start, end).split('\n')
}

function contentsOf(state: TextState): string[] {
  return linesOf(state).map((line) => line.slice(containerOf(line).length))
}

function isQuoted(lines: readonly string[]): boolean {
  return lines.every((line) => QUOTE_MARK.test(line))
}

function headingLevel(state: TextState): number {
  const first = contentsOf(state).find((rest) => rest !== '') ?? ''
  return HEADING_MARK.exec(first.slice(itemMarkLength(first)))?.[0].trimEnd().length ?? 0
}

/** Length of a list mark behind which text can stand. */
function itemMarkLength(rest: string): number {
  const mark = listMarkOf(rest)
  return /[ \t]$/.test(mark) ? mark.length : 0
}
