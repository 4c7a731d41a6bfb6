import type { TextCommandName } from '../commands/commands.ts'
import type { Command } from '../commands/edit.ts'
import { isToggleCommand, TOGGLE_COMMANDS } from '../commands/toggle-commands.ts'
import type { EditorContext } from '../editor-context.ts'
import { loadPart } from '../load-part.ts'
import type { EditorStrings } from '../strings/strings.ts'

type LaterCommands = typeof import('../commands/later-commands.ts').LATER_COMMANDS

let later: LaterCommands | null = null

/** Does what a command does to the text: at once, or when the command is loaded. */
export async function runCommand(name: TextCommandName, context: EditorContext): Promise<void> {
  if (isToggleCommand(name)) return apply(TOGGLE_COMMANDS[name].run, context)
  if (later !== null) return apply(later[name].run, context)
  try {
    apply((await loadLater(context.strings))[name].run, context)
  } catch (error) {
    context.notice.fail((error as Error).message, null)
  }
}

/** Loads the commands ahead that are not in the first script. */
export function prefetchCommands(strings: EditorStrings): void {
  loadLater(strings).catch(() => {}) // Who uses one tries once more, and is told.
}

async function loadLater(strings: EditorStrings): Promise<LaterCommands> {
  later = (await loadPart(() => import('../commands/later-commands.ts'), strings)).LATER_COMMANDS
  return later
}

function apply(command: Command, context: EditorContext): void {
  const edit = context.signal.aborted ? null : command(context.surface.read())
  if (edit !== null) context.edit(edit, true)
}
