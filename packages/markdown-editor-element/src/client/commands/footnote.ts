import { type Command, spliced } from './edit.ts'
import { lineStart } from './selection.ts'

/**
 * A footnote behind the selection, with the next number that is free; the caret goes to its text at the end.
 *
 * @example
 * footnote({ text: 'a', selectionStart: 1, selectionEnd: 1 }) // leads to 'a[^1]\n\n[^1]: '
 */
export const footnote: Command = ({ text, selectionEnd }) => {
  const number =
    Array.from(text.matchAll(/\[\^(\d{1,9})\]/g)).reduce(
      (most, [, used]) => Math.max(most, Number(used)),
      0,
    ) + 1
  // Definitions follow each other without blank lines.
  const isDefined = /^\[\^[^\]\n]+\]:/.test(text.slice(lineStart(text, text.length)))
  const gap = isDefined ? '\n' : text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  const reference = { at: selectionEnd, removed: 0, added: `[^${number}]` }
  const definition = { at: text.length, removed: 0, added: `${gap}[^${number}]: ` }
  return spliced({ text, selectionStart: text.length, selectionEnd: text.length }, [
    reference,
    definition,
  ])
}

/** A line break in a paragraph, behind the selection. */
export const lineBreak: Command = ({ text, selectionEnd }) => {
  const state = { text, selectionStart: selectionEnd, selectionEnd }
  return spliced(state, [{ at: selectionEnd, removed: 0, added: '  \n' }])
}
