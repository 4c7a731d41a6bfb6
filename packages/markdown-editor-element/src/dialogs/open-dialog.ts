import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'
import type { FileTarget } from '../uploads/file-input.ts'

const NAMES = ['link', 'image', 'video', 'document', 'embed', 'table', 'heading', 'help'] as const

/** The dialogs of an editor. */
export type DialogName = (typeof NAMES)[number]

/** True for what is asked for in a dialog. */
export function isDialog(name: string): name is DialogName {
  return (NAMES as readonly string[]).includes(name)
}

/**
 * Loads a dialog and opens it; says so when it cannot be loaded.
 *
 * @returns false when it was not opened
 */
export async function openDialog(
  name: DialogName,
  context: EditorContext & FileTarget,
): Promise<boolean> {
  try {
    const [{ DIALOGS }] = await Promise.all([
      loadPart(() => import('./dialogs.ts'), context.strings),
      loadStyles(context.host, 'dialogs'),
    ])
    if (!context.signal.aborted && context.host.querySelector('dialog[open]') === null)
      DIALOGS[name](context)
    return true
  } catch (error) {
    context.notice.fail(messageOf(error), null)
    return false
  }
}
