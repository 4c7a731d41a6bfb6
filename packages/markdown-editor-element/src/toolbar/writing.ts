import { isTextCommand, TEXT_COMMANDS, type TextCommandName } from '../commands/commands.ts'
import { continueLine, removeMarker } from '../commands/continue.ts'
import type { TextState } from '../commands/edit.ts'
import { indentLines, outdentLines, takesTab } from '../commands/indent.ts'
import { TOOLBAR_BUTTONS } from '../contract/toolbar.ts'
import { isPlainKey } from '../dom/key-press.ts'
import type { EditorContext } from '../editor/editor-context.ts'

/** Throws a TypeError for an unknown name. */
export function runCommand(name: TextCommandName, context: EditorContext): void {
  if (!isTextCommand(name)) {
    const known = [...new Set([...TOOLBAR_BUTTONS, ...Object.keys(TEXT_COMMANDS)])].join(', ')
    throw new TypeError(`run: unknown command ${String(name)}. Known are ${known}.`)
  }
  const edit = context.signal.aborted ? null : TEXT_COMMANDS[name].run(context.surface.read())
  if (edit !== null) context.edit(edit, true)
}

/** True if the selection has the mark of a command. */
export function isActive(name: TextCommandName, state: TextState): boolean {
  return TEXT_COMMANDS[name].isActive?.(state) ?? false
}

/** Handles Enter, Backspace and Tab in lists and quotes. After Escape, Tab leaves the field. */
export function helpTyping(context: EditorContext): void {
  let isLeaving = false
  const onKey = (event: KeyboardEvent): void => {
    const { surface } = context
    const { key, shiftKey } = event
    const leaves = isLeaving
    // Pressing Shift for Shift+Tab does not end this state.
    isLeaving = !event.defaultPrevented && (key === 'Escape' || (leaves && key === 'Shift'))
    const isHandled = event.defaultPrevented || event.target !== surface.target
    if (isHandled || !isPlainKey(event) || !surface.editable) return
    if (key === 'Tab') {
      if (leaves || !takesTab(surface.read(), shiftKey)) return
      event.preventDefault()
      const edit = (shiftKey ? outdentLines : indentLines)(surface.read())
      if (edit !== null) context.edit(edit, true)
    } else if (!shiftKey && (key === 'Enter' || key === 'Backspace')) {
      const edit = (key === 'Enter' ? continueLine : removeMarker)(surface.read())
      if (edit !== null && context.edit(edit, true)) event.preventDefault()
    }
  }
  context.onKey(onKey)
}
