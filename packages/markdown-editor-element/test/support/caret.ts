import { TEXT_COMMANDS, type TextCommandName } from '../../src/commands/commands.ts'
import { applyEdit, type TextState } from '../../src/commands/edit.ts'

/**
 * Reads caret notation: `"one |two| three"` selects "two", and `"one|"` has the caret at the end.
 * For a text with other pipes, pass another `mark`.
 */
export function parseCarets(notation: string, mark = '|'): TextState {
  const [before = '', selected = '', after] = notation.split(mark)
  return after === undefined
    ? { text: before + selected, selectionStart: before.length, selectionEnd: before.length }
    : {
        text: before + selected + after,
        selectionStart: before.length,
        selectionEnd: before.length + selected.length,
      }
}

export function formatCarets(
  { text, selectionStart, selectionEnd }: TextState,
  mark = '|',
): string {
  const selected = text.slice(selectionStart, selectionEnd)
  const marked = selectionStart === selectionEnd ? mark : mark + selected + mark
  return text.slice(0, selectionStart) + marked + text.slice(selectionEnd)
}

export function run(state: TextState, ...names: readonly TextCommandName[]): TextState {
  return names.reduce((current, name) => {
    const edit = TEXT_COMMANDS[name].run(current)
    return edit === null ? current : applyEdit(current, edit)
  }, state)
}

export function runOn(notation: string, ...names: readonly TextCommandName[]): string {
  return formatCarets(run(parseCarets(notation), ...names))
}
