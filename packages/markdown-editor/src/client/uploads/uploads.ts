import { applyEdit, type Edit, type TextState } from '../commands/edit.ts'
import { STRINGS } from '../strings.ts'
import { type MediaFile, mediaMarkdown } from './media-markdown.ts'
import { createPlaceholder, insertPlaceholders, removePlaceholder, replacePlaceholder } from './placeholder.ts'
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
  readonly placeholder: string
  readonly abort: AbortController
}

const AT_ONCE = 3

/** The uploads of one editor: each has a placeholder in the text until its file is there. */
export class Uploads {
  readonly #host: UploadHost
  readonly #list: UploadList
  readonly #running = new Map<Upload, Promise<boolean>>()
  /** What stands in the text for placeholders that are done: an undo may bring them back. */
  readonly #done = new Map<string, string>()
  readonly #slots = new Slots(AT_ONCE)

  constructor(host: UploadHost, list: UploadList) {
    this.#host = host
    this.#list = list
  }

  /** True while files are on their way. */
  get pending(): boolean {
    return this.#running.size > 0
  }

  /** Puts placeholders for files behind the selection and uploads the files. */
  add(files: readonly File[]): void {
    const placeholders: string[] = []
    for (const file of files) {
      placeholders.push(createPlaceholder(file, [this.#host.read().text, ...placeholders, ...this.#done.keys()]))
    }
    if (placeholders.length === 0) return
    if (!this.#host.insert(insertPlaceholders(this.#host.read(), placeholders))) {
      this.#host.announce(STRINGS.noRoom)
      return
    }
    for (const [index, file] of files.entries()) this.#start(file, placeholders[index] ?? '')
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
    for (const [placeholder, markdown] of this.#done) {
      for (let edit = place(state, placeholder, markdown); edit !== null; edit = place(state, placeholder, markdown)) {
        state = applyEdit(state, edit)
      }
    }
    return state.text
  }

  /** Ends all uploads and takes their placeholders away. */
  cancelAll(): void {
    for (const { abort } of this.#running.keys()) abort.abort()
  }

  #start(file: File, placeholder: string): void {
    const upload: Upload = { placeholder, abort: new AbortController() }
    this.#host.announce(STRINGS.uploading(file.name))
    this.#running.set(
      upload,
      this.#run(file, upload).finally(() => this.#running.delete(upload)),
    )
  }

  /** Uploads one file. False when it failed; true when it is there or was cancelled. */
  async #run(file: File, { placeholder, abort }: Upload): Promise<boolean> {
    const { signal } = abort
    const row = this.#list.add(file.name, () => abort.abort())
    try {
      const stored = await this.#slots.run(signal, () => this.#host.send(file, row.progress, signal))
      await this.#arrived(stored, placeholder, row)
      return true
    } catch (error) {
      await this.#settle(placeholder, '')
      if (signal.aborted) {
        row.remove()
        return true
      }
      const message = STRINGS.uploadFailed(file.name, error instanceof Error ? error.message : String(error))
      row.ended(message, { label: STRINGS.retry, run: () => this.add([file]) })
      this.#host.announce(message)
      return false
    }
  }

  async #arrived(stored: MediaFile, placeholder: string, row: UploadRow): Promise<void> {
    const markdown = mediaMarkdown(stored)
    if (await this.#settle(placeholder, markdown)) {
      row.remove()
      this.#host.announce(STRINGS.uploaded(stored.name))
      return
    }
    const insert = (): void => void this.#host.insert(insertPlaceholders(this.#host.read(), [markdown]))
    row.ended(STRINGS.uploadUnplaced(stored.name), { label: STRINGS.insert, run: insert })
    this.#host.announce(STRINGS.uploadUnplaced(stored.name))
  }

  /** Puts markdown in a placeholder's place, or takes it away for `''`. False when it is not in the text. */
  async #settle(placeholder: string, markdown: string): Promise<boolean> {
    this.#done.set(placeholder, markdown)
    await this.#host.idle()
    const edit = place(this.#host.read(), placeholder, markdown)
    return edit !== null && this.#host.edit(edit)
  }
}

function place(state: TextState, placeholder: string, markdown: string): Edit | null {
  return markdown === '' ? removePlaceholder(state, placeholder) : replacePlaceholder(state, placeholder, markdown)
}
