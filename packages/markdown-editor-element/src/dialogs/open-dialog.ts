import { loadStyles } from '../dom/load-styles.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'
import type { FileTarget } from '../uploads/file-input.ts'

const NAMES = ['link', 'image', 'video', 'document', 'embed', 'table', 'heading', 'help'] as const

/** The name of a dialog. Its button or shortcut has the same name. */
export type DialogName = (typeof NAMES)[number]

/** Returns whether a name is the name of a dialog. */
export function isDialog(name: string): name is DialogName {
  return (NAMES as readonly string[]).includes(name)
}

/** Loads a dialog and opens it. Does nothing if another dialog is open. */
export async function openDialogByName(name: DialogName, context: FileTarget): Promise<void> {
  try {
    const [{ DIALOGS }] = await Promise.all([
      loadPart(() => import('./dialogs.ts'), context.strings),
      loadStyles(context.host, 'dialogs'),
    ])
    if (!context.signal.aborted && context.host.querySelector('dialog[open]') === null)
      DIALOGS[name](context)
  } catch (error) {
    context.notice.fail(messageOf(error))
  }
}
