import { removeMedia } from '../commands/blocks.ts'
import { replacing, type TextState } from '../commands/edit.ts'
import type { Range } from '../commands/line-grammar.ts'
import { linkAround } from '../commands/link-spans.ts'
import { writeAddress } from '../commands/links.ts'
import { escapeLabel } from '../contract/media-markdown.ts'
import { createButton } from '../dom/elements.ts'
import { openDialog } from '../editor/dialog.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { FileTarget } from '../uploads/file-input.ts'
import { checkAddress } from './address.ts'
import { unescapeMarkdown } from './link-text.ts'
import { MediaFields } from './media-fields.ts'
import { MEDIA_SCHEMES } from './media-text.ts'

/** An image in the Markdown, with the values that the user can edit. */
export interface EditedImage {
  readonly label: string
  readonly address: string
  /** Returns the range of the image in a later text, or null if the image is gone or ambiguous. */
  readonly find: (text: string) => Range | null
  /** Returns the changed Markdown. Null keeps the old value. The title is always kept. */
  readonly write: (label: string | null, address: string | null) => string
}

/** Returns the image at the caret, or null. */
export function readImage(state: TextState): EditedImage | null {
  const image = linkAround(state, '!')
  // If there is no address, the image is the placeholder of an upload.
  if (image === null || image.address.start === image.address.end) return null
  const { text } = state
  const { start, end } = image.address
  const address = text.slice(start, end)
  return {
    label: unescapeMarkdown(image.label),
    address: unescapeMarkdown(address),
    find: findAgain(text, image),
    write: (newLabel, newAddress) =>
      `![${newLabel ?? image.label}` +
      text.slice(image.start + 2 + image.label.length, start) +
      (newAddress ?? address) +
      text.slice(end, image.end),
  }
}

function findAgain(text: string, { start, end }: Range): EditedImage['find'] {
  const source = text.slice(start, end)
  const count = text.split(source).length
  const index = text.slice(0, start).split(source).length
  return (later) => {
    const parts = later.split(source)
    // If the number of equal images has changed, it is unclear which one the user edits.
    if (parts.length !== count) return null
    const from = parts.slice(0, index).join(source).length
    return { start: from, end: from + source.length }
  }
}

/** Opens a dialog to change, replace or remove an image. */
export function openImageDialog(context: FileTarget, image: EditedImage): void {
  const strings = lazyStrings(context.strings)
  const fields = new MediaFields('image', context, image, false)
  const { address, label } = fields
  const write = (source: string): void => {
    // The text may have changed in the meantime, for example because an upload has finished.
    const state = context.surface.read()
    const range = image.find(state.text)
    if (range === null) {
      label.fail(strings.imageMissing) // The user can still copy the description.
      return
    }
    dialog.close()
    const isRemoved = source === ''
    const edit = isRemoved ? removeMedia(state, range) : replacing(range, source)
    const isSame = source === state.text.slice(range.start, range.end)
    if (isSame || edit === null) context.surface.focus()
    else if (context.edit(edit, true))
      context.notice.say(isRemoved ? strings.removed : strings.changed)
  }
  const change = (): void => {
    const { files } = fields
    const text = label.value.trim()
    const newLabel = text === image.label ? null : escapeLabel(text)
    if (files.length > 0) {
      dialog.close()
      context.surface.focus()
      context.add(files, {
        write: ({ url }) => image.write(newLabel, writeAddress(url)),
        replaces: image.find,
      })
      return
    }
    const checked = checkAddress(address.value, MEDIA_SCHEMES, strings)
    if (address.value === image.address) write(image.write(newLabel, null))
    else if ('problem' in checked) address.fail(checked.problem)
    else write(image.write(newLabel, writeAddress(checked.address)))
  }
  const dialog = openDialog(context, {
    name: 'media',
    title: strings.imageEdit,
    content: fields.elements,
    actions: [createButton(strings.remove, 'md-editor-action', () => write(''))],
    confirm: { label: strings.apply, run: change },
  })
  label.input.focus()
  label.input.select() // Before the focus, Chromium would not scroll to the field.
}
