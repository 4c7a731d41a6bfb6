import { isTextCommand, TEXT_COMMANDS, type TextCommandName } from '../commands/commands.ts'
import type { TextState } from '../commands/edit.ts'
import { TOOLBAR_BUTTONS } from '../contract/toolbar.ts'
import type { EditorContext } from '../editor/editor-context.ts'

export { helpTyping } from './typing.ts'

/**
 * Does what a command does to the text.
 *
 * @throws TypeError for an unknown name
 */
export function runCommand(name: TextCommandName, context: EditorContext): void {
  if (!isTextCommand(name)) {
    const known = [...new Set([...TOOLBAR_BUTTONS, ...Object.keys(TEXT_COMMANDS)])].join(', ')
    throw new TypeError(`run: unknown command ${String(name)}. Known are ${known}.`)
  }
  const edit = context.signal.aborted ? null : TEXT_COMMANDS[name].run(context.surface.read())
  if (edit !== null) context.edit(edit, true)
}

/** Whether the selection has what a command gives. */
export function isActive(name: TextCommandName, state: TextState): boolean {
  return TEXT_COMMANDS[name].isActive?.(state) ?? false
}
