import { insertNewline, redo, standardKeymap, undo } from '@codemirror/commands'
import type { Extension } from '@codemirror/state'
import { type EditorView, type KeyBinding, keymap, runScopeHandlers } from '@codemirror/view'

// CodeMirror itself asks only for those of the scope "editor".
const SCOPE = 'markdown-editor'

// Tab is not among them: it leaves the field.
const BINDINGS: readonly KeyBinding[] = [
  { key: 'Enter', run: insertNewline, shift: insertNewline },
  { key: 'Mod-z', run: undo, preventDefault: true },
  { key: 'Mod-Shift-z', run: redo, preventDefault: true },
  { key: 'Mod-y', run: redo, preventDefault: true },
  ...standardKeymap.filter(({ key }) => key !== 'Enter'),
]

/** The keys of a textarea: moving, deleting, line breaks and the history. */
export const KEYS: Extension = keymap.of(BINDINGS.map((binding) => ({ ...binding, scope: SCOPE })))

/** Acts on keys after everybody else has seen them, as a browser does, and only when nobody has prevented it. */
export function listenForKeys(view: EditorView, signal: AbortSignal): void {
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.composedPath()[0] !== view.contentDOM || event.defaultPrevented || view.composing) return
      if (runScopeHandlers(view, event, SCOPE)) event.preventDefault()
    },
    { signal },
  )
}
