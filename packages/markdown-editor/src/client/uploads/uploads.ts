import { applyEdit, type Edit, type TextState } from '../commands/edit.ts'
import { canRetry } from '../requests/requests.ts'
import type { EditorStrings } from '../strings/strings.ts'
import { type MediaFile, mediaMarkdown } from './media-markdown.ts'
import {
  createPlaceholder,
  insertSpaced,
  removePlaceholder,
  replacePlaceholder,
  type Spaced,
  separate,
  spaceApart,
} from './placeholder.ts'
import { Slots } from './slots.ts'
import type { UploadList, UploadRow } from './upload-list.ts'

/** What uploads need of their editor. */
export interface UploadHost {
  read(): TextState
  /** Changes the text at the user's wish, and takes the focus; false when it cannot be changed. */
  insert(edit: Edit): boolean
  /** Changes the text and leaves the focus where it is; false when it cannot be changed. */
  edit(edit: Edit): boolean
  /** Waits for the end of a composition, for example of a Chinese word. */
  idle(): Promise<void>
  /** Sends a file and gives what the server stored; rejects with an error whose message is for the user. */
  send(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<MediaFile>
  /** Tells screen readers something. */
  announce(message: string): void
}

interface Upload {
  readonly placeholder: Spaced
  /** The placeholders that were inserted together and are still there, or what came in their place. */
  readonly group: Spaced[]
  readonly abort: AbortController
}

const AT_ONCE = 3

/** The uploads of one editor: each has a placeholder in the text until its file is there. */
export class Uploads {
  readonly #host: UploadHost
  readonly #list: UploadList
  readonly #strings: EditorStrings
  readonly #running = new Map<Upload, Promise<boolean>>()
  /** What the placeholders of finished uploads became: an undo may bring them back. */
  readonly #done = new Map<Upload, string>()
  readonly #slots = new Slots(AT_ONCE)

  constructor(host: UploadHost, list: UploadList, strings: EditorStrings) {
    this.#host = host
    this.#strings = strings
    this.#list = list
  }

  /** True while files are on their way. */
  get pending(): boolean {
    return this.#running.size > 0
  }

  /** Puts placeholders for files behind the selection and uploads the files. */
  add(files: readonly File[]): void {
    if (files.length === 0) return
    const state = this.#host.read()
    const known = [...this.#running.keys(), ...this.#done.keys()]
    const taken = [state.text, ...known.map(({ placeholder }) => placeholder.text)]
    for (const file of files) taken.push(createPlaceholder(file, taken, this.#strings))
    const placeholders = spaceApart(state, taken.slice(-files.length))
    if (!this.#host.insert(insertSpaced(state, placeholders))) {
      this.#host.announce(this.#strings.noRoom)
      return
    }
    const group = [...placeholders]
    for (const [index, placeholder] of placeholders.entries()) {
      const file = files[index]
      if (file !== undefined) this.#start(file, { placeholder, group, abort: new AbortController() })
    }
  }

  /** Waits until no file is on its way. False when one of them failed meanwhile. */
  async settled(): Promise<boolean> {
    let good = true
    while (this.pending) good = (await Promise.all(this.#running.values())).every(Boolean) && good
    return good
  }

  /** A text in which no placeholder of a finished upload stands any more. */
  complete(text: string): string {
    let state: TextState = { text, selectionStart: 0, selectionEnd: 0 }
    for (const [upload, markdown] of this.#done) {
      const edit = place(state, upload, markdown)
      if (edit !== null) state = applyEdit(state, edit)
    }
    return state.text
  }

  /** Ends all uploads and takes their placeholders away. */
  cancelAll(): void {
    for (const { abort } of this.#running.keys()) abort.abort()
  }

  #start(file: File, upload: Upload): void {
    this.#host.announce(this.#strings.uploading(file.name))
    this.#running.set(
      upload,
      this.#run(file, upload).finally(() => this.#running.delete(upload)),
    )
  }

  /** Uploads one file. False when it failed; true when it is there or was cancelled. */
  async #run(file: File, upload: Upload): Promise<boolean> {
    const { signal } = upload.abort
    const row = this.#list.add(file.name, () => upload.abort.abort())
    try {
      const stored = await this.#slots.run(signal, () => this.#host.send(file, row.progress, signal))
      await this.#arrived(stored, upload, row)
      return true
    } catch (error) {
      separate(upload.group, upload.placeholder)
      await this.#settle(upload, '')
      if (signal.aborted) {
        row.remove()
        return true
      }
      const message = this.#strings.uploadFailed(file.name, error instanceof Error ? error.message : String(error))
      row.ended(message, canRetry(error) ? { label: this.#strings.retry, run: () => this.add([file]) } : null)
      this.#host.announce(message)
      return false
    }
  }

  async #arrived(stored: MediaFile, upload: Upload, row: UploadRow): Promise<void> {
    const markdown = mediaMarkdown(stored)
    if (await this.#settle(upload, markdown)) {
      row.remove()
      this.#host.announce(this.#strings.uploaded(stored.name))
      return
    }
    const insert = (): void => {
      const state = this.#host.read()
      this.#host.insert(insertSpaced(state, spaceApart(state, [markdown])))
    }
    row.ended(this.#strings.uploadUnplaced(stored.name), { label: this.#strings.insert, run: insert })
    this.#host.announce(this.#strings.uploadUnplaced(stored.name))
  }

  /** Puts markdown in a placeholder's place, or takes it away for `''`. False when it is not in the text. */
  async #settle(upload: Upload, markdown: string): Promise<boolean> {
    this.#done.set(upload, markdown)
    await this.#host.idle()
    const edit = place(this.#host.read(), upload, markdown)
    return edit !== null && this.#host.edit(edit)
  }
}

function place(state: TextState, { placeholder }: Upload, markdown: string): Edit | null {
  if (markdown === '') return removePlaceholder(state, placeholder)
  return replacePlaceholder(state, placeholder.text, markdown)
}
