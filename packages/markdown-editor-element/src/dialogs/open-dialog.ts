import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'

/** The dialogs of an editor. */
export type DialogName = 'link' | 'embed' | 'table' | 'heading' | 'help'

const NAMES: readonly string[] = [
  'link',
  'embed',
  'table',
  'heading',
  'help',
] satisfies DialogName[]

/** True for what is asked for in a dialog. */
export function isDialog(name: string): name is DialogName {
  return NAMES.includes(name)
}

/**
 * Loads a dialog and opens it; says so when it cannot be loaded.
 *
 * @returns false when it was not opened
 */
export async function openDialog(name: DialogName, context: EditorContext): Promise<boolean> {
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
