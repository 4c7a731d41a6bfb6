import {
  DEFAULT_TOOLBAR,
  isToolbarItem,
  parseToolbar,
  TOOLBAR_BUTTONS,
  type ToolbarItem,
} from '../../contract/toolbar.ts'
import { acceptedTypes, isFileKind } from '../files/file-types.ts'

/**
 * The toolbar that an element's attributes ask for, without the buttons for files that cannot be uploaded. Unknown names
 * are reported as an error and left out.
 */
export function toolbarItems(host: HTMLElement): readonly ToolbarItem[] {
  const attribute = host.getAttribute('toolbar')
  const names = attribute === null ? DEFAULT_TOOLBAR : parseToolbar(attribute)
  const unknown = names.filter((name) => !isToolbarItem(name))
  if (unknown.length > 0) {
    const known = TOOLBAR_BUTTONS.join(', ')
    reportError(
      new TypeError(
        `toolbar: unknown button ${unknown.join(', ')}. Known are ${known}, and | between groups.`,
      ),
    )
  }
  const takesFiles = (host.getAttribute('upload-url') ?? '') !== ''
  const types = host.getAttribute('upload-types')
  return names
    .filter(isToolbarItem)
    .filter((name) => !isFileKind(name) || (takesFiles && acceptedTypes(name, types) !== null))
}
