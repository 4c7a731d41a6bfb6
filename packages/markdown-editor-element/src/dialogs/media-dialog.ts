import { type EmbedHost, knownEmbedHosts, toEmbedHosts } from '@quillgate/markdown/embeds'
import { insertBlock } from '../commands/blocks.ts'
import { type Edit, replacing, type TextState } from '../commands/edit.ts'
import { imageAround } from '../commands/link-spans.ts'
import { URL_LIKE, writeAddress } from '../commands/links.ts'
import { inlineRange, lineRange, type Range } from '../commands/selection.ts'
import { acceptedTypes } from '../contract/file-types.ts'
import { escapeLabel } from '../contract/media-markdown.ts'
import { createButton, createElement } from '../dom/elements.ts'
import { Field, openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { readSettings } from '../editor/read-settings.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { type FileTarget, openChooser } from '../uploads/file-input.ts'
import { checkAddress } from './address.ts'
import { unescapeMarkdown } from './link-text.ts'
import {
  MEDIA_SCHEMES,
  type MediaKind,
  type MediaText,
  readMedia,
  siteNames,
} from './media-text.ts'

// The milliseconds without typing after which the note about an address is shown, because screen
// readers speak each one.
const PAUSE = 600

/** Opens a dialog to choose files or to enter an address. */
export function openMediaDialog(kind: MediaKind, context: EditorContext & FileTarget): void {
  const words = lazyStrings(context.strings)
  const hosts = embedHosts(context.host)
  const state = context.surface.read()
  const image = kind === 'image' ? readImage(state) : null
  const selected = image?.address ?? selectedAddress(state)
  const note = createElement('p', { class: 'md-editor-hint', role: 'status' })
  const read = (): MediaText | { problem: string } =>
    readMedia(kind, address.value, label.value.trim(), hosts, words)
  const update = (): void => {
    const media = read()
    note.textContent = 'markdown' in media ? media.note : ''
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const updateLater = (): void => {
    clearTimeout(timer)
    timer = setTimeout(update, PAUSE)
  }
  const { address, label } = createFields(kind, context, hosts, selected, updateLater)
  label.input.value = image?.label ?? ''
  const finish = (edit: (current: TextState) => Edit): void => {
    dialog.close()
    context.edit(edit(context.surface.read()), true)
    void context.surface.reveal()
  }
  const change = (before: ImageTexts): void => {
    const checked = checkAddress(address.value, MEDIA_SCHEMES, words)
    const isKept = address.value === before.address
    if (!isKept && 'problem' in checked) {
      address.fail(checked.problem)
      return
    }
    const text = label.value.trim()
    const newLabel = text === before.label ? null : escapeLabel(text)
    const newAddress = isKept || 'problem' in checked ? null : writeAddress(checked.address)
    finish((current) => changeImage(current, newLabel, newAddress))
  }
  const files = createFilesButton(kind, context, (chosen) => {
    dialog.close()
    context.add(chosen, label.value.trim())
  })
  const fields = [address.element, label.element, note]
  const remove = createButton(words.remove, 'md-editor-action', () =>
    finish((current) => replacing(imageAround(current) ?? caretOf(current), '')),
  )
  const dialog = openDialog(context, {
    name: 'media',
    title: image === null ? words.buttons[kind] : words.imageEdit,
    content: image === null ? [...files, ...fields] : fields,
    actions: image === null ? [] : [remove],
    confirm: {
      label: image === null ? words.insert : words.apply,
      run: () => {
        if (image !== null) return change(image)
        const media = read()
        if ('problem' in media) return address.fail(media.problem)
        finish((current) => mediaEdit(current, media.markdown, selected))
      },
    },
  })
  update()
  address.input.select()
  const [first = address.input] = image === null ? files : [label.input]
  first.focus()
}

interface ImageTexts {
  readonly label: string
  readonly address: string
}

function readImage(state: TextState): ImageTexts | null {
  const image = imageAround(state)
  const { start, end } = image?.address ?? { start: 0, end: 0 }
  if (image === null || start === end) return null // A placeholder of an upload has no address.
  return {
    label: unescapeMarkdown(image.label),
    address: unescapeMarkdown(state.text.slice(start, end)),
  }
}

/** Changes the image at the caret. Keeps the source of its title, and of what is null. */
function changeImage(state: TextState, newLabel: string | null, newAddress: string | null): Edit {
  const image = imageAround(state)
  if (image === null) return replacing(caretOf(state), '') // The text has changed meanwhile.
  const { start, end, label, address } = image
  const source = (from: number, to: number): string => state.text.slice(from, to)
  const insert =
    `![${newLabel ?? label}` +
    source(start + 2 + label.length, address.start) +
    (newAddress ?? source(address.start, address.end)) +
    source(address.end, end)
  return replacing({ start, end }, insert)
}

function caretOf({ selectionEnd }: TextState): Range {
  return { start: selectionEnd, end: selectionEnd }
}

function createFields(
  kind: MediaKind,
  context: EditorContext,
  hosts: readonly EmbedHost[],
  selected: string,
  update: () => void,
): { address: Field; label: Field } {
  const words = lazyStrings(context.strings)
  const id = `${context.textarea.id}-media`
  const isFramed = kind === 'video' || kind === 'embed'
  const title = isFramed ? words.embedAddress : words.address
  const hint = isFramed ? words.embedHint(siteNames(hosts).join(', ')) : ''
  const labels = { image: words.imageText, document: words.linkText }
  const name = kind === 'image' || kind === 'document' ? labels[kind] : words.embedTitle
  return {
    address: new Field(`${id}-address`, title, selected, hint, update).forAddress(),
    label: new Field(`${id}-label`, name, ''),
  }
}

/** Returns no button if files of the kind cannot be uploaded. */
function createFilesButton(
  kind: MediaKind,
  context: EditorContext & FileTarget,
  take: (files: readonly File[]) => void,
): readonly HTMLButtonElement[] {
  if (kind === 'embed' || !context.accepts()) return []
  const accepted = acceptedTypes(kind, context.host.getAttribute('upload-types'))
  if (accepted === null) return []
  const { chooseFiles } = lazyStrings(context.strings)
  return [
    createButton(chooseFiles, 'md-editor-action md-editor-main', () =>
      openChooser(accepted, true, take),
    ),
  ]
}

/** If the line contains only the address, replaces the line. */
function mediaEdit(state: TextState, markdown: string, address: string): Edit {
  const line = lineRange(state)
  const alone = address !== '' && state.text.slice(line.start, line.end) === address
  return alone ? replacing(line, markdown) : insertBlock(state, [markdown])
}

/** Returns the selected address, or one that is alone on its line, or `''`. */
function selectedAddress(state: TextState): string {
  const isSelected = state.selectionStart < state.selectionEnd
  const { start, end } = isSelected ? inlineRange(state) : lineRange(state)
  const selected = state.text.slice(start, end).trim()
  return URL_LIKE.test(selected) ? selected : ''
}

function embedHosts(host: HTMLElement): readonly EmbedHost[] {
  const names = readSettings(host).embedHosts
  if (names === undefined) return knownEmbedHosts
  try {
    return toEmbedHosts(names)
  } catch {
    return knownEmbedHosts // The preview reports the invalid attribute.
  }
}
