import { replacing, type TextState } from '../commands/edit.ts'
import { imageAround, type LinkSpan } from '../commands/link-spans.ts'
import { writeAddress } from '../commands/links.ts'
import { escapeLabel } from '../contract/media-markdown.ts'
import { createButton } from '../dom/elements.ts'
import { Field, openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { checkAddress } from './address.ts'
import { unescapeMarkdown } from './link-text.ts'
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

/** Opens a dialog to change or remove the image at the caret. */
export function openImageDialog(context: EditorContext, before: ImageTexts): void {
  const strings = lazyStrings(context.strings)
  const id = `${context.textarea.id}-media`
  const address = new Field(`${id}-address`, strings.address, before.address).forAddress()
  const label = new Field(`${id}-label`, strings.imageText, before.label)
  const finish = (write: (image: LinkSpan, text: string) => string): void => {
    dialog.close()
    // The text may have changed meanwhile, for example because an upload has finished.
    const state = context.surface.read()
    const image = imageAround(state)
    if (image === null) context.surface.focus()
    else context.edit(replacing(image, write(image, state.text)), true)
  }
  const change = (): void => {
    const checked = checkAddress(address.value, MEDIA_SCHEMES, strings)
    const isKept = address.value === before.address
    if (!isKept && 'problem' in checked) {
      address.fail(checked.problem)
      return
    }
    const text = label.value.trim()
    const newLabel = text === before.label ? null : escapeLabel(text)
    const newAddress = isKept || 'problem' in checked ? null : writeAddress(checked.address)
    finish((image, current) => changeImage(image, current, newLabel, newAddress))
  }
  const remove = createButton(strings.remove, 'md-editor-action', () => finish(() => ''))
  const dialog = openDialog(context, {
    name: 'media',
    title: strings.imageEdit,
    content: [address.element, label.element],
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
