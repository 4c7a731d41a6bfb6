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

/** Returns the image at the caret. Returns null for the placeholder of an upload. */
export function imageAt(state: TextState): LinkSpan | null {
  const image = imageAround(state)
  return image === null || image.address.start === image.address.end ? null : image
}

/** Opens a dialog to change or remove the image at the caret. Keeps the title of the image. */
export function openImageDialog(context: EditorContext, image: LinkSpan): void {
  const strings = lazyStrings(context.strings)
  const source = context.surface.read().text.slice(image.address.start, image.address.end)
  const old = { label: unescapeMarkdown(image.label), address: unescapeMarkdown(source) }
  const id = `${context.textarea.id}-media`
  const address = new Field(`${id}-address`, strings.address, old.address).forAddress()
  const label = new Field(`${id}-label`, strings.imageText, old.label)
  const write = (markdownOf: (text: string, current: LinkSpan) => string): void => {
    // The text may have changed in the meantime, for example because an upload has finished.
    const state = context.surface.read()
    const current = imageAt(state)
    if (current === null) {
      label.fail(strings.imageMissing) // The user can still copy the description.
      return
    }
    dialog.close()
    context.edit(replacing(current, markdownOf(state.text, current)), true)
  }
  const change = (): void => {
    const isKept = address.value === old.address
    const checked = checkAddress(address.value, MEDIA_SCHEMES, strings)
    if (!isKept && 'problem' in checked) {
      address.fail(checked.problem)
      return
    }
    const entered = label.value.trim()
    const newLabel = entered === old.label ? image.label : escapeLabel(entered)
    const newAddress = isKept || 'problem' in checked ? source : writeAddress(checked.address)
    write((text, { start, end, label: written, address: range }) => {
      const between = text.slice(start + 2 + written.length, range.start)
      return `![${newLabel}${between}${newAddress}${text.slice(range.end, end)}`
    })
  }
  const remove = createButton(strings.remove, 'md-editor-action', () => write(() => ''))
  const dialog = openDialog(context, {
    name: 'media',
    title: strings.imageEdit,
    content: [address.element, label.element],
    actions: [remove],
    confirm: { label: strings.apply, run: change },
  })
  label.input.select()
  label.input.focus()
}
