import { insertNewline, redo, standardKeymap, undo } from '@codemirror/commands'
import { EditorState, type Extension, RangeSetBuilder } from '@codemirror/state'
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  type KeyBinding,
  keymap,
  runScopeHandlers,
  ViewPlugin,
} from '@codemirror/view'
import { isApple, nameOfKey } from '../../dom/key-press.ts'

// CodeMirror handles only keys of the scope "editor", so it ignores these keys.
const SCOPE = 'markdown-editor'

// Tab is not included, because it leaves the field.
const BINDINGS: readonly KeyBinding[] = [
  { key: 'Enter', run: insertNewline, shift: insertNewline },
  ...standardKeymap.filter(({ key }) => key !== 'Enter'),
  { any: (view, event) => historyCommandOf(event)?.(view) ?? false },
]

/** The keys of a textarea. They are handled last, unless a listener prevents the default. */
export const KEYS: Extension = [
  keymap.of(BINDINGS.map((binding) => ({ ...binding, scope: SCOPE }))),
  ViewPlugin.define((view) => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.composedPath()[0] !== view.contentDOM || event.defaultPrevented || view.composing)
        return
      if (runScopeHandlers(view, event, SCOPE)) event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return { destroy: () => window.removeEventListener('keydown', onKey) }
  }),
]

/** Returns undo, redo or null. Unlike CodeMirror's bindings, does not take Caps Lock for Shift. */
function historyCommandOf(event: KeyboardEvent): Command | null {
  const [mod, other] = isApple() ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey]
  if (!mod || other || event.altKey || event.getModifierState('AltGraph')) return null
  const name = nameOfKey(event.key, event.code)
  if (name === 'Z') return event.shiftKey ? redo : undo
  return name === 'Y' && !event.shiftKey ? redo : null
}

const AUTO = Decoration.line({ attributes: { dir: 'auto' } })

/** Gives each line the direction of its own text, as a textarea with `dir="auto"` does. */
export const LINE_DIRECTION: Extension = [
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.define(
    (view) => ({
      lines: shownLines(view),
      update({ view, docChanged, viewportChanged }) {
        if (docChanged || viewportChanged) this.lines = shownLines(view)
      },
    }),
    { decorations: ({ lines }) => lines },
  ),
]

function shownLines(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from } of view.viewportLineBlocks) builder.add(from, from, AUTO)
  return builder.finish()
}

/** Rejects changes by the user that would exceed the `maxlength` of a field. */
export function maxLength(textarea: HTMLTextAreaElement): Extension {
  return EditorState.changeFilter.of(({ newDoc, startState }) => {
    const limit = textarea.maxLength
    return limit < 0 || newDoc.length <= Math.max(limit, startState.doc.length)
  })
}
