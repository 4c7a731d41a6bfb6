import { insertNewline, redo, standardKeymap, undo } from '@codemirror/commands'
import {
  Annotation,
  type AnnotationType,
  EditorState,
  type Extension,
  RangeSetBuilder,
} from '@codemirror/state'
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
import { isApple, type KeyPress, nameOfKey } from '../../dom/key-press.ts'

// CodeMirror handles only keys of the scope "editor", so it ignores these keys.
const SCOPE = 'markdown-editor'

// Tab is not included, because it leaves the field.
const BINDINGS: readonly KeyBinding[] = [
  { key: 'Enter', run: insertNewline, shift: insertNewline },
  ...standardKeymap.filter(({ key }) => key !== 'Enter'),
]

/** The keys of a textarea: those for caret movement, deletion and line breaks. */
export const KEYS: Extension = keymap.of(BINDINGS.map((binding) => ({ ...binding, scope: SCOPE })))

/** Handles keys after all other listeners, unless a listener has prevented the default. */
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

/** Replaces CodeMirror's bindings for undo and redo, which confuse Caps Lock with Shift. */
function historyCommandOf(event: KeyPress): Command | null {
  const [mod, other] = isApple() ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey]
  if (!mod || other || event.altKey || event.getModifierState('AltGraph')) return null
  const name = nameOfKey(event.key, event.code)
  if (name === 'Z') return event.shiftKey ? redo : undo
  return name === 'Y' && !event.shiftKey ? redo : null
}

/** On blur, calls `blurred`, and then `changed` if the text differs from the text at focus. */
export function changeOnBlur(blurred: () => void, changed: () => void): Extension {
  return ViewPlugin.define(({ state }) => ({ before: state.doc }), {
    eventObservers: {
      focus(_event, view) {
        this.before = view.state.doc
      },
      blur(_event, view) {
        blurred()
        const { doc } = view.state
        if (doc.eq(this.before)) return
        this.before = doc
        changed()
      },
    },
  })
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

/** Marks a change by a script, to which `maxlength` does not apply. */
export const UNLIMITED: AnnotationType<true> = Annotation.define<true>()

/** Rejects changes by the user that would exceed the `maxlength` of a field. */
export function maxLength(textarea: HTMLTextAreaElement): Extension {
  return EditorState.transactionFilter.of((transaction) => {
    const { docChanged, newDoc, startState } = transaction
    const limit = textarea.maxLength
    const isFree =
      limit < 0 ||
      !docChanged ||
      newDoc.length <= Math.max(limit, startState.doc.length) ||
      transaction.annotation(UNLIMITED) ||
      transaction.isUserEvent('undo') ||
      transaction.isUserEvent('redo')
    return isFree ? transaction : []
  })
}
