import { insertNewline, redo, standardKeymap, undo } from '@codemirror/commands'
import type { Extension } from '@codemirror/state'
import {
  type Command,
  type EditorView,
  type KeyBinding,
  keymap,
  runScopeHandlers,
} from '@codemirror/view'
import { isApple, type KeyPress, nameOfKey } from '../../dom/key-press.ts'

// CodeMirror itself asks only for those of the scope "editor".
const SCOPE = 'markdown-editor'

// Tab is not among them: it leaves the field.
const BINDINGS: readonly KeyBinding[] = [
  { key: 'Enter', run: insertNewline, shift: insertNewline },
  ...standardKeymap.filter(({ key }) => key !== 'Enter'),
]

/** The keys of a textarea: moving, deleting and line breaks. */
export const KEYS: Extension = keymap.of(BINDINGS.map((binding) => ({ ...binding, scope: SCOPE })))

/** Acts on keys after everybody else has seen them, as a browser does, and only when nobody has prevented it. */
export function listenForKeys(view: EditorView, signal: AbortSignal): void {
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.composedPath()[0] !== view.contentDOM || event.defaultPrevented || view.composing)
        return
      const command = historyCommandOf(event)
      if (command !== null) {
        command(view)
        event.preventDefault()
      } else if (runScopeHandlers(view, event, SCOPE)) event.preventDefault()
    },
    { signal },
  )
}

/** CodeMirror takes Shift from the letter that the key writes, and with Caps Lock that is a small one. */
function historyCommandOf(event: KeyPress): Command | null {
  const [mod, other] = isApple() ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey]
  if (!mod || other || event.altKey || event.getModifierState('AltGraph')) return null
  const name = nameOfKey(event.key, event.code)
  if (name === 'Z') return event.shiftKey ? redo : undo
  return name === 'Y' && !event.shiftKey ? redo : null
}
