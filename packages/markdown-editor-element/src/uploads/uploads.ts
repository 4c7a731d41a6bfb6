import type { EditorContext } from '../editor/editor-context.ts'
import { messageOf } from '../i18n/load-part.ts'
import type { UploadQueue } from './upload-queue.ts'

/**
 * The uploads of one editor. This small class is part of the first script; the queue is loaded with
 * the first file.
 */
export class Uploads {
  readonly #context: EditorContext
  readonly #loadQueue: () => Promise<typeof UploadQueue>
  #queue: UploadQueue | null = null
  #loading: Promise<UploadQueue> | null = null
  /** True if the text may contain placeholders that the queue has not seen. */
  #adopting = false
  /** Files that were added before the queue was loaded. */
  #early: File[] = []

  constructor(context: EditorContext, loadQueue: () => Promise<typeof UploadQueue>) {
    this.#context = context
    this.#loadQueue = loadQueue
    // After a reload or a rejected form, the text may contain placeholders of earlier uploads.
    if (context.textarea.value.includes(']()')) this.adopt()
  }

  /** True while files are being uploaded, or if the text contains a placeholder. */
  get pending(): boolean {
    if (this.#early.length > 0 || this.#loading !== null) return true
    return this.#queue?.isOpen(this.#context.surface.read().text) ?? this.#adopting
  }

  /** The number of files that the server has rejected and that cannot be retried. */
  get refusals(): number {
    return this.#queue?.refusals ?? 0
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
   * Marks placeholders in the text that have no upload as interrupted, for example those of a
   * restored draft.
   */
  adopt(): void {
    if (this.#context.attribute('upload-url') === '') return
    this.#adopting = true
    this.load().catch(() => {}) // A submit tries again and reports the error.
  }

  /**
   * Loads the queue and adds the waiting files to it.
   *
   * @throws Error with a message for the user if it cannot be loaded; the files keep waiting
   */
  async load(): Promise<UploadQueue> {
    this.#loading ??= this.#load()
    try {
      const queue = await this.#loading
      if (!this.#context.signal.aborted) {
        queue.adopt()
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
    this.#queue?.dropAll()
  }

  async #load(): Promise<UploadQueue> {
    if (this.#queue !== null) return this.#queue
    const Queue = await this.#loadQueue()
    this.#queue ??= new Queue(this.#context)
    return this.#queue
  }
}
