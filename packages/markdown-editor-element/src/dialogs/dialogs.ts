import type { EditorContext } from '../editor/editor-context.ts'
import { openEmbedDialog } from './embed-dialog.ts'
import { openHeadingMenu } from './heading-menu.ts'
import { openHelp } from './help-dialog.ts'
import { openLinkDialog } from './link-dialog.ts'
import type { DialogName } from './open-dialog.ts'
import { openTableDialog } from './table-dialog.ts'

/** What opens each dialog. */
export const DIALOGS: Readonly<Record<DialogName, (context: EditorContext) => void>> = {
  link: openLinkDialog,
  embed: openEmbedDialog,
  table: openTableDialog,
  heading: openHeadingMenu,
  help: openHelp,
}
