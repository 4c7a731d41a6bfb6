import { writeValue } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { messageOf } from '../i18n/load-part.ts'
import type { CarriedUpload } from './upload.ts'
import type { UploadQueue } from './upload-queue.ts'

/** The unfinished uploads of an editor that has ended. */
interface Left {
  readonly uploads: readonly CarriedUpload[]
  /** Removes the placeholders of the uploads from a text. */
  readonly without: (text: string) => string
}

const NOTHING: Left = { uploads: [], without: (text) => text }

// When an element is moved or its editor restarts, the next editor of the textarea continues these.
const carried = new WeakMap<HTMLTextAreaElement, Left>()

/**
 * The uploads of one editor. This small class is part of the first load; the queue is loaded with
 * the first file.
 */
export class Uploads {
  readonly #context: EditorContext
  readonly #loadQueue: () => Promise<typeof UploadQueue>
  #queue: UploadQueue | null = null
  #loading: Promise<UploadQueue> | null = null
  /** Files that wait for the queue. */
  #early: File[] = []
  /** Waits to be adopted by the queue. */
  #left: Left | null = null

  constructor(context: EditorContext, loadQueue: () => Promise<typeof UploadQueue>) {
    this.#context = context
    this.#loadQueue = loadQueue
    const { textarea } = context
    // After a reload or a rejected form, the text may contain placeholders of earlier uploads.
    if (carried.has(textarea) || textarea.value.includes(']()')) this.adopt()
  }

  /** True while files are being uploaded, or if the text contains a placeholder. */
  get pending(): boolean {
    if (this.#early.length > 0) return true
    const { text } = this.#context.surface.read()
    const { without } = this.#left ?? NOTHING
    return without(text) !== text || (this.#queue?.isOpen(text) ?? false)
  }

  /** Inserts placeholders after the selection and uploads the files. */
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
   * Marks placeholders in the text without an upload as interrupted, for example those of a
   * restored draft.
   */
  adopt(): void {
    const { textarea } = this.#context
    if (this.#context.attribute('upload-url') === '') return
    this.#left = carried.get(textarea) ?? this.#left ?? NOTHING
    carried.delete(textarea)
    this.load().catch(() => {}) // A submit tries again and reports the error.
  }

  /**
   * Loads the queue and passes on the waiting uploads and files.
   *
   * @throws Error with a message for the user if it cannot be loaded; the files keep waiting
   */
  async load(): Promise<UploadQueue> {
    this.#loading ??= this.#load()
    try {
      const queue = await this.#loading
      if (!this.#context.signal.aborted) {
        this.#handOver(queue)
        queue.add(this.#early.splice(0))
      }
      return queue
    } finally {
      this.#loading = null
    }
  }

  /** Stops all uploads and removes their placeholders. */
  cancelAll(): void {
    this.#early = []
    this.#left = null
    void this.#queue?.dropAll()
  }

  /**
   * Ends with the editor. If another editor of the textarea starts immediately, it continues the
   * uploads.
   */
  end(): void {
    const left = this.#leave()
    if (left === null) return
    const { textarea } = this.#context
    carried.set(textarea, left)
    setTimeout(() => {
      if (carried.get(textarea) !== left) return
      carried.delete(textarea)
      const text = left.without(textarea.value)
      if (text !== textarea.value) writeValue(textarea, text)
    })
  }

  /**
   * Returns the unfinished uploads, or those of the previous editor if the queue was never loaded.
   */
  #leave(): Left | null {
    const queue = this.#queue
    if (queue === null) return this.#left
    this.#handOver(queue)
    return { uploads: queue.end(), without: (text) => queue.withoutPlaceholders(text) }
  }

  #handOver(queue: UploadQueue): void {
    const left = this.#left
    this.#left = null
    if (left !== null) queue.adopt(left.uploads)
  }

  async #load(): Promise<UploadQueue> {
    if (this.#queue !== null) return this.#queue
    const Queue = await this.#loadQueue()
    this.#queue ??= new Queue(this.#context)
    return this.#queue
  }
}
