import { writeValue } from '../dom/write-value.ts'
import type { EditorContext } from '../editor-context.ts'
import { messageOf } from '../message-of.ts'
import { loadMedia } from './load-media.ts'
import type { CarriedFiles, UploadQueue } from './upload-queue.ts'

// What an editor leaves behind when its element is moved: the next editor of the textarea takes it over.
const carried = new WeakMap<HTMLTextAreaElement, CarriedFiles>()

/** The uploads of one editor, as the first load knows them: the queue that does the work is loaded with the first file. */
export class Uploads {
  readonly #context: EditorContext
  #queue: UploadQueue | null = null
  #loading: Promise<UploadQueue> | null = null
  /** Files that wait for the queue. */
  #early: File[] = []

  constructor(context: EditorContext) {
    this.#context = context
    const { textarea } = context
    // A page that was reloaded, or sent back by the server, may have placeholders of the uploads of then.
    if (carried.has(textarea) || textarea.value.includes(']()')) this.adopt()
  }

  /** True when files are on their way, or the text has a place for a file that is not there. */
  get pending(): boolean {
    return this.#early.length > 0 || (this.#queue?.isOpen(this.#context.surface.read().text) ?? false)
  }

  /** Puts placeholders for files behind the selection and uploads the files. */
  add(files: readonly File[]): void {
    if (files.length === 0) return
    this.#early.push(...files)
    this.load().catch((error: unknown) => {
      const { notice, strings } = this.#context
      const dismiss = (): void => {
        this.#early = []
      }
      notice.fail(
        messageOf(error),
        { label: strings.retry, run: () => this.add(this.#early.splice(0)) },
        { label: strings.dismiss, run: dismiss },
      )
    })
  }

  /**
   * Takes care of placeholders in the text that no upload of this page stands for, as a draft brings them back: uploads
   * whose files the browser has kept are resumed, the others are marked as interrupted.
   */
  adopt(): void {
    const { textarea } = this.#context
    if (this.#context.attribute('upload-url') === '') return
    const files = carried.get(textarea) ?? new Map<string, File>()
    carried.delete(textarea)
    this.load().then(
      (queue) => queue.adopt(files),
      () => {}, // A submit tries once more, and tells.
    )
  }

  /**
   * Loads the queue and gives it the files that wait for it.
   *
   * @throws Error with a message for the user when it cannot be loaded; the files wait on
   */
  async load(): Promise<UploadQueue> {
    this.#loading ??= this.#load()
    try {
      const queue = await this.#loading
      if (!this.#context.signal.aborted) queue.add(this.#early.splice(0))
      return queue
    } finally {
      this.#loading = null
    }
  }

  /** Ends all uploads and takes their placeholders away. */
  cancelAll(): void {
    this.#early = []
    void this.#queue?.dropAll()
  }

  /** Ends with the editor. An editor that comes to the textarea at once, because it was moved, goes on with the files. */
  end(): void {
    const queue = this.#queue
    if (queue === null) return
    const { textarea } = this.#context
    const files = queue.end()
    carried.set(textarea, files)
    setTimeout(() => {
      if (carried.get(textarea) !== files) return
      carried.delete(textarea)
      const text = queue.withoutPlaceholders(textarea.value)
      if (text !== textarea.value) writeValue(textarea, text)
    })
  }

  async #load(): Promise<UploadQueue> {
    if (this.#queue !== null) return this.#queue
    const { UploadQueue } = await loadMedia(this.#context.strings)
    this.#queue ??= new UploadQueue(this.#context)
    return this.#queue
  }
}
