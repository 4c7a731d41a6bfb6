import { type Edit, type Splice, spliced, type TextState, type ToggleCommand } from './edit.ts'
import { headingMarkOf, isBlank, type Line, quoteMarkOf, readLines } from './line-grammar.ts'
import { lineRange } from './selection.ts'

/** Returns the lines that the selection touches. */
export function selectedLines(state: TextState): Line[] {
  const { start, end } = lineRange(state)
  return [...readLines(state.text, start, end)]
}

/** Returns the selected lines without blank ones, or all of them if all are blank. */
export function filledLines(state: TextState): Line[] {
  const lines = selectedLines(state)
  const filled = lines.filter((line) => !isBlank(line))
  return filled.length === 0 ? lines : filled
}

/** Quotes the selected lines, or removes one level of quoting if all of them are quoted. */
export const quote: ToggleCommand = {
  run: (state) => {
    const lines = selectedLines(state)
    const remove = isQuoted(state)
    return spliced(
      state,
      lines.map(({ start, end }) => ({
        at: start,
        removed: remove ? quoteMarkOf(state.text.slice(start, end)).length : 0,
        added: remove ? '' : start === end && lines.length > 1 ? '>' : '> ',
      })),
    )
  },
  isActive: isQuoted,
}

/** Sets the next heading level. Plain text becomes level 1, and level 6 becomes plain text. */
export const heading: ToggleCommand = {
  run: (state) => setHeading(state, (headingLevel(state) + 1) % 7),
  isActive: (state) => headingLevel(state) > 0,
}

/** Creates the command that toggles headings of a level from 1 to 6. */
export function headingOf(level: number): ToggleCommand {
  const isActive = (state: TextState): boolean => headingLevel(state) === level
  return { run: (state) => setHeading(state, isActive(state) ? 0 : level), isActive }
}

function setHeading(state: TextState, level: number): Edit | null {
  const added = level === 0 ? '' : `${'#'.repeat(level)} `
  const marks = filledLines(state).map((line): Splice => {
    const at = headingStart(state.text, line)
    return { at, removed: headingMarkOf(state.text.slice(at, line.end)).length, added }
  })
  return spliced(state, marks)
}

function headingLevel(state: TextState): number {
  const [line] = filledLines(state)
  return line === undefined
    ? 0
    : headingMarkOf(state.text.slice(headingStart(state.text, line), line.end)).trimEnd().length
}

/** Returns the offset of the heading marker. In a list item, it follows the list marker. */
function headingStart(text: string, { mark, content }: Line): number {
  return /[ \t]/.test(text[content - 1] ?? '') ? content : mark
}

function isQuoted(state: TextState): boolean {
  return selectedLines(state).every(
    ({ start, end }) => quoteMarkOf(state.text.slice(start, end)) !== '',
  )
}
