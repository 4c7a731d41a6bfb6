import { replacing, type TextState } from '../commands/edit.ts'
import { imageAround, type LinkSpan } from '../commands/link-spans.ts'
import { writeAddress } from '../commands/links.ts'
import { escapeLabel } from '../contract/media-markdown.ts'
import { createButton } from '../dom/elements.ts'
import { openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { FileTarget } from '../uploads/file-input.ts'
import { checkAddress } from './address.ts'
import { unescapeMarkdown } from './link-text.ts'
import { MediaFields } from './media-fields.ts'
import { MEDIA_SCHEMES } from './media-text.ts'

/** The texts of an image that the user can edit. */
export interface ImageTexts {
  readonly label: string
  readonly address: string
}

/** Returns the texts of the image at the caret, or null. */
export function readImage(state: TextState): ImageTexts | null {
  const image = imageAround(state)
  const { start, end } = image?.address ?? { start: 0, end: 0 }
  if (image === null || start === end) return null // A placeholder of an upload has no address.
  return {
    label: unescapeMarkdown(image.label),
    address: unescapeMarkdown(state.text.slice(start, end)),
  }
}

/** Opens a dialog to change, replace or remove the image at the caret. */
export function openImageDialog(context: EditorContext & FileTarget, before: ImageTexts): void {
  const strings = lazyStrings(context.strings)
  const fields = new MediaFields('image', context, before)
  const { address, label } = fields
  const finish = (run: (image: LinkSpan, text: string) => void): void => {
    dialog.close()
    // The text may have changed meanwhile, for example because an upload has finished.
    const state = context.surface.read()
    const image = imageAround(state)
    if (image === null) context.surface.focus()
    else run(image, state.text)
  }
  const change = (): void => {
    const { files } = fields
    const checked = checkAddress(address.value, MEDIA_SCHEMES, strings)
    const isKept = address.value === before.address
    if (files.length === 0 && !isKept && 'problem' in checked) {
      address.fail(checked.problem)
      return
    }
    const text = label.value.trim()
    const newLabel = text === before.label ? null : escapeLabel(text)
    const newAddress = isKept || 'problem' in checked ? null : writeAddress(checked.address)
    finish((image, current) => {
      const write = (to: string | null): string => changeImage(image, current, newLabel, to)
      if (files.length === 0) context.edit(replacing(image, write(newAddress)), true)
      else context.add(files, { write: ({ url }) => write(writeAddress(url)), replaces: true })
    })
  }
  const remove = createButton(strings.remove, 'md-editor-action', () =>
    finish((image) => context.edit(replacing(image, ''), true)),
  )
  const dialog = openDialog(context, {
    name: 'media',
    title: strings.imageEdit,
    content: [...fields.createButtons('image', context, false), ...fields.elements],
    actions: [remove],
    confirm: { label: strings.apply, run: change },
  })
  label.input.focus()
}

/** Returns the changed source of an image. Keeps the title. A null value keeps the old text. */
function changeImage(
  { start, end, label, address }: LinkSpan,
  text: string,
  newLabel: string | null,
  newAddress: string | null,
): string {
  return (
    `![${newLabel ?? label}` +
    text.slice(start + 2 + label.length, address.start) +
    (newAddress ?? text.slice(address.start, address.end)) +
    text.slice(address.end, end)
  )
}
