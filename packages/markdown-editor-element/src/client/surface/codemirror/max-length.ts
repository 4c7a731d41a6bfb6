import {
  Annotation,
  type AnnotationType,
  EditorState,
  type Extension,
  type Transaction,
  type TransactionSpec,
} from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** Marks a change that `maxlength` does not stop, as a script may set any value. */
export const UNLIMITED: AnnotationType<true> = Annotation.define<true>()

/** Stops typing and shortens what is pasted at a field's `maxlength`; compositions are shortened when they end. */
export function maxLength(textarea: HTMLTextAreaElement): Extension {
  let before = 0
  return [
    EditorState.transactionFilter.of((transaction) => limited(transaction, textarea.maxLength)),
    EditorView.domEventObservers({
      compositionstart: (_event, { state }) => {
        before = state.doc.length
      },
      compositionend: (_event, view) => {
        const { maxLength: limit } = textarea
        // The browser still has to write what was composed.
        if (limit >= 0) setTimeout(() => shorten(view, Math.max(limit, before)))
      },
    }),
  ]
}

function limited(
  transaction: Transaction,
  limit: number,
): TransactionSpec | readonly TransactionSpec[] {
  const { changes, docChanged, newDoc, startState } = transaction
  const over = newDoc.length - Math.max(limit, startState.doc.length)
  const isFree =
    limit < 0 ||
    !docChanged ||
    over <= 0 ||
    transaction.annotation(UNLIMITED) ||
    isHistory(transaction)
  if (isFree || transaction.isUserEvent('input.type.compose')) return transaction
  const parts: TransactionSpec[] = []
  changes.iterChanges((from, to, _fromNew, _toNew, inserted) => {
    const insert = withoutHalf(inserted.sliceString(0, Math.max(0, inserted.length - over)))
    parts.push({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length },
      userEvent: 'input',
    })
  })
  // What changes several places at once is all or nothing.
  return parts.length === 1 ? parts : []
}

function isHistory(transaction: Transaction): boolean {
  return transaction.isUserEvent('undo') || transaction.isUserEvent('redo')
}

function shorten(view: EditorView, limit: number): void {
  const { doc, selection } = view.state
  const over = doc.length - limit
  if (over <= 0) return
  const to = selection.main.head
  view.dispatch({ changes: { from: Math.max(0, to - over), to }, userEvent: 'delete' })
}

/** A text without the first half of a character that takes two code units, at its end. */
function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}
