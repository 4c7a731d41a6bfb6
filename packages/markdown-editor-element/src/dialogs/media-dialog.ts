import { type EmbedHost, knownEmbedHosts, toEmbedHosts } from '@quillgate/markdown/embeds'
import { insertBlock } from '../commands/blocks.ts'
import { applyEdit, type Edit, replacing, type TextState } from '../commands/edit.ts'
import { URL_LIKE } from '../commands/links.ts'
import { inlineRange, lineRange } from '../commands/selection.ts'
import { acceptedTypes } from '../contract/file-types.ts'
import { createButton, createElement } from '../dom/elements.ts'
import { Field, openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { readSettings } from '../editor/read-settings.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { type FileTarget, openChooser } from '../uploads/file-input.ts'
import { openImageDialog, readImage } from './image-dialog.ts'
import { type MediaKind, type MediaText, readMedia, siteNames } from './media-text.ts'

// Milliseconds without typing before the note about an address is updated. Screen readers speak
// each update.
const PAUSE = 600

/** Opens a dialog to choose files or to enter an address, or to edit the image at the caret. */
export function openMediaDialog(kind: MediaKind, context: EditorContext & FileTarget): void {
  const image = kind === 'image' ? readImage(context.surface.read()) : null
  if (image === null) openInsertDialog(kind, context)
  else openImageDialog(context, image)
}

function openInsertDialog(kind: MediaKind, context: EditorContext & FileTarget): void {
  const strings = lazyStrings(context.strings)
  const hosts = embedHosts(context.host)
  const selected = selectedAddress(context.surface.read())
  const note = createElement('p', { class: 'md-editor-hint', role: 'status' })
  const read = (): MediaText | { problem: string } =>
    readMedia(kind, address.value, label.value.trim(), hosts, strings)
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
  const files = createFilesButton(kind, context, (chosen) => {
    dialog.close()
    context.add(chosen, label.value.trim())
  })
  const dialog = openDialog(context, {
    name: 'media',
    title: strings.buttons[kind],
    content: [...files, address.element, label.element, note],
    confirm: {
      label: strings.insert,
      run: () => {
        const media = read()
        if ('problem' in media) {
          const isEmpty = address.value.trim() === '' && files.length > 0
          return address.fail(isEmpty ? strings.mediaMissing : media.problem)
        }
        dialog.close()
        context.edit(mediaEdit(context.surface.read(), media.markdown, selected), true)
        void context.surface.reveal()
      },
    },
  })
  update()
  address.input.select()
  const [first = address.input] = files
  first.focus()
}

function createFields(
  kind: MediaKind,
  context: EditorContext,
  hosts: readonly EmbedHost[],
  selected: string,
  update: () => void,
): { address: Field; label: Field } {
  const strings = lazyStrings(context.strings)
  const id = `${context.textarea.id}-media`
  const isFramed = kind === 'video' || kind === 'embed'
  const title = isFramed ? strings.embedAddress : strings.address
  const hint = isFramed ? strings.embedHint(siteNames(hosts).join(', ')) : ''
  const labels = { image: strings.imageText, document: strings.linkText }
  const name = kind === 'image' || kind === 'document' ? labels[kind] : strings.embedTitle
  return {
    address: new Field(`${id}-address`, title, selected, hint, update).forAddress(),
    label: new Field(`${id}-label`, name, ''),
  }
}

/** Creates the button to choose files. Returns none if files of the kind cannot be uploaded. */
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

/**
 * Returns the edit that inserts media. Replaces the line if it contains only the address, except in
 * code, where media go after the block.
 */
function mediaEdit(state: TextState, markdown: string, address: string): Edit {
  const line = lineRange(state)
  const isAlone = address !== '' && state.text.slice(line.start, line.end) === address
  if (!isAlone) return insertBlock(state, [markdown])
  const edit = insertBlock(applyEdit(state, replacing(line, '')), [markdown])
  if (edit.start !== line.start) return insertBlock(state, [markdown])
  return { ...edit, end: edit.end + address.length }
}

/** Returns the selected address, or the address that fills the caret's line, or `''`. */
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
