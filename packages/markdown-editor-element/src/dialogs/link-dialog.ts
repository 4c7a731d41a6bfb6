import type { Edit } from '../commands/edit.ts'
import { createButton } from '../dom/elements.ts'
import { Field, openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { readSettings } from '../editor/read-settings.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { type CheckedAddress, checkAddress, LINK_SCHEMES } from './address.ts'
import { type LinkTarget, linkEdit, linkTarget, oneLine, unlinkEdit } from './link-text.ts'

/** Opens a dialog to edit the link at the caret, or to create a link from the selection. */
export function openLinkDialog(context: EditorContext): void {
  const strings = lazyStrings(context.strings)
  const state = context.surface.read()
  const target = linkTarget(state)
  const id = `${context.textarea.id}-link`
  const address = new Field(`${id}-address`, strings.address, target.address, strings.addressHint)
  const label = new Field(`${id}-text`, strings.linkText, oneLine(target.label))
  const title = new Field(`${id}-title`, strings.linkTitle, oneLine(target.title))
  const schemes = linkSchemes(context.host)
  const check = (): CheckedAddress => checkAddress(address.value, schemes, strings)
  const { input } = address.forAddress()
  input.addEventListener('blur', () => {
    const checked = check()
    if (input.value.trim() !== '' && 'address' in checked) input.value = checked.address
  })
  const done = target.exists ? strings.changed : strings.inserted
  const finish = (change: (current: LinkTarget) => Edit, message = done): void => {
    dialog.close()
    // The text may have changed in the meantime, for example because an upload has finished.
    const current = context.surface.read()
    const edit = change(linkTarget(current))
    if (edit.insert === current.text.slice(edit.start, edit.end)) context.surface.focus()
    else if (context.edit(edit, true)) context.notice.say(message)
  }
  const confirm = (): void => {
    const checked = check()
    if ('problem' in checked) {
      address.fail(checked.problem)
      return
    }
    // If the user did not change the label, keeps its line breaks.
    const isKept = label.value === oneLine(target.label)
    const texts = { label: isKept ? target.label : label.value.trim(), title: title.value.trim() }
    const hasSelection = state.selectionStart < state.selectionEnd
    finish((current) => linkEdit(current, { ...checked, ...texts }, hasSelection))
  }
  const remove = createButton(strings.linkRemove, 'md-editor-action', () =>
    finish((current) => unlinkEdit(current, current), strings.removed),
  )
  const dialog = openDialog(context, {
    name: 'link',
    title: target.exists ? strings.linkEdit : strings.buttons.link,
    content: [address, label, title].map(({ element }) => element),
    actions: target.exists ? [remove] : [],
    confirm: { label: target.exists ? strings.apply : strings.insert, run: confirm },
  })
  input.focus()
  input.select()
}

function linkSchemes(host: HTMLElement): readonly string[] {
  const { policy } = readSettings(host)
  const schemes: unknown = policy?.schemes?.link // The preview reports an invalid value.
  return Array.isArray(schemes) ? schemes.map(String) : LINK_SCHEMES
}
