import { type EmbedHost, knownEmbedHosts, toEmbedHosts } from '@quillgate/markdown/embeds'
import { insertBlock } from '../commands/blocks.ts'
import { type Edit, replacing, type TextState } from '../commands/edit.ts'
import { imageAround } from '../commands/link-spans.ts'
import { URL_LIKE } from '../commands/links.ts'
import { inlineRange, lineRange } from '../commands/selection.ts'
import { acceptedTypes } from '../contract/file-types.ts'
import { createButton, createElement } from '../dom/elements.ts'
import { Field, openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { readSettings } from '../editor/read-settings.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { type FileTarget, openChooser } from '../uploads/file-input.ts'
import { unescapeMarkdown } from './link-text.ts'
import { type MediaKind, type MediaText, readMedia, siteNames } from './media-text.ts'

// The milliseconds without typing before a note about the address is shown. Without this pause,
// screen readers would speak a note for each key.
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
  const files = createFilesButton(kind, context, (chosen) => {
    dialog.close()
    context.add(chosen, label.value.trim())
  })
  const fields = [address.element, label.element, note]
  const remove = createButton(words.remove, 'md-editor-action', () =>
    finish((current) => imageEdit(current, () => '')),
  )
  const dialog = openDialog(context, {
    name: 'media',
    title: image === null ? words.buttons[kind] : words.imageEdit,
    content: image === null ? [...files, ...fields] : fields,
    actions: image === null ? [] : [remove],
    confirm: {
      label: image === null ? words.insert : words.apply,
      run: () => {
        const media = read()
        if ('problem' in media) return address.fail(media.problem)
        const { markdown } = media
        if (image === null) finish((current) => mediaEdit(current, markdown, selected))
        else finish((current) => imageEdit(current, (title) => withTitle(markdown, title)))
      },
    },
  })
  update()
  address.input.select()
  const [first = address.input] = image === null ? files : [label.input]
  first.focus()
}

function readImage(state: TextState): { label: string; address: string } | null {
  const image = imageAround(state)
  const { start, end } = image?.address ?? { start: 0, end: 0 }
  if (image === null || start === end) return null // A placeholder of an upload has no address.
  return {
    label: unescapeMarkdown(image.label),
    address: unescapeMarkdown(state.text.slice(start, end)),
  }
}

/** Replaces the image at the caret. The text may have changed since the dialog was opened. */
function imageEdit(state: TextState, write: (title: string) => string): Edit {
  const image = imageAround(state)
  const range = image ?? { start: state.selectionStart, end: state.selectionEnd }
  return replacing(range, write(image?.title ?? ''))
}

/** Adds a title, given as Markdown source, to an image without a title. */
function withTitle(image: string, title: string): string {
  return title === '' ? image : `${image.slice(0, -1)} "${title.replace(/(?<!\\)"/g, '\\"')}")`
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

/** Inserts media as a block. If the line contains only the address, replaces the line. */
function mediaEdit(state: TextState, markdown: string, address: string): Edit {
  const line = lineRange(state)
  const alone = address !== '' && state.text.slice(line.start, line.end) === address
  return alone ? replacing(line, markdown) : insertBlock(state, [markdown])
}

/** Returns the selected address, or an address that is alone on the caret's line, or `''`. */
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
