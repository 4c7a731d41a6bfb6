import type { FileTarget } from '../uploads/file-input.ts'
import { openHeadingMenu } from './heading-menu.ts'
import { openHelp } from './help-dialog.ts'
import { openLinkDialog } from './link-dialog.ts'
import { openMediaDialog } from './media-dialog.ts'
import type { DialogName } from './open-dialog.ts'
import { openTableDialog } from './table-dialog.ts'

/** The functions that open the dialogs, by the name of the dialog. */
export const DIALOGS: Readonly<Record<DialogName, (context: FileTarget) => void>> = {
  link: openLinkDialog,
  image: (context) => openMediaDialog('image', context),
  video: (context) => openMediaDialog('video', context),
  document: (context) => openMediaDialog('document', context),
  embed: (context) => openMediaDialog('embed', context),
  table: openTableDialog,
  heading: openHeadingMenu,
  help: openHelp,
}
