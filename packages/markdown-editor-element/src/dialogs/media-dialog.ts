import { type EmbedHost, knownEmbedHosts, toEmbedHosts } from '@quillgate/markdown/embeds'
import { insertBlock } from '../commands/blocks.ts'
import { applyEdit, type Edit, replacing, type TextState } from '../commands/edit.ts'
import { URL_LIKE } from '../commands/links.ts'
import { inlineRange, lineRange } from '../commands/selection.ts'
import { mediaMarkdown } from '../contract/media-markdown.ts'
import type { UploadResponse } from '../contract/wire.ts'
import { openDialog } from '../editor/dialog.ts'
import { readSettings } from '../editor/read-settings.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { FileTarget } from '../uploads/file-input.ts'
import { openImageDialog, readImage } from './image-dialog.ts'
import { MediaFields } from './media-fields.ts'
import { type MediaKind, type MediaText, readMedia } from './media-text.ts'

/** Opens a dialog to choose files or to enter an address, or to edit the image at the caret. */
export function openMediaDialog(kind: MediaKind, context: FileTarget): void {
  const image = kind === 'image' ? readImage(context.surface.read()) : null
  if (image === null) openInsertDialog(kind, context)
  else openImageDialog(context, image)
}

function openInsertDialog(kind: MediaKind, context: FileTarget): void {
  const strings = lazyStrings(context.strings)
  const hosts = embedHosts(context.host)
  const selected = selectedAddress(context.surface.read())
  const fields = new MediaFields(kind, context, { address: selected, label: '' }, true, hosts)
  const { address, button, label, note } = fields
  const read = (): MediaText | { problem: string } =>
    readMedia(kind, address.value, label.value.trim(), hosts, strings)
  const update = (): void => {
    const media = read()
    note.textContent = 'markdown' in media ? media.note : ''
  }
  address.onPause(update)
  const dialog = openDialog(context, {
    name: 'media',
    title: kind === 'image' ? strings.imageInsert : strings.buttons[kind],
    content: fields.elements,
    confirm: {
      label: strings.insert,
      run: () => {
        const { files } = fields
        const text = label.value.trim()
        const write = (stored: UploadResponse): string => mediaMarkdown(stored, text)
        if (files.length > 0) {
          dialog.close()
          return context.add(files, files.length > 1 ? {} : { write })
        }
        const media = read()
        if ('problem' in media) {
          const isEmpty = address.value.trim() === '' && button !== null
          return address.fail(isEmpty ? strings.mediaMissing : media.problem)
        }
        dialog.close()
        const edit = mediaEdit(context.surface.read(), media.markdown, selected)
        const isDone = context.edit(edit, true)
        const isLink = media.note !== '' && media.note !== strings.playerInserted
        if (isDone && isLink) context.notice.fail(media.note)
        else if (isDone) context.notice.say(media.note || strings.inserted)
        void context.surface.reveal()
      },
    },
  })
  update()
  address.input.select()
  const first = button ?? address.input
  first.focus()
}

/** Replaces a line that contains only the address. In code, inserts the media after the block. */
function mediaEdit(state: TextState, markdown: string, address: string): Edit {
  const line = lineRange(state)
  const isAlone = address !== '' && state.text.slice(line.start, line.end) === address
  const edit = insertBlock(applyEdit(state, replacing(line, '')), [markdown])
  if (!isAlone || edit.start !== line.start) return insertBlock(state, [markdown])
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
