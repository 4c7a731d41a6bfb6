import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'
import type { EditorStrings } from '../i18n/strings.ts'
import type { FileTarget } from './file-input.ts'
import type { NewFile, Placement } from './upload.ts'
import type { UploadQueue } from './upload-queue.ts'

/** The context of an editor, with the uploads of this editor. */
export interface UploadingEditor extends FileTarget {
  readonly uploads: Uploads
}

/** Loads the module that uploads and submits need. */
export function loadPreparation(
  strings: EditorStrings,
): Promise<typeof import('./prepare-fields.ts')> {
  return loadPart(() => import('./prepare-fields.ts'), strings)
}

/** Loads the module early, because a deployment may replace the scripts of the page. */
export function prefetchPreparation(strings: EditorStrings): void {
  whenIdle(() => {
    loadPreparation(strings).catch(() => {}) // The next attempt reports the error.
  })
}

/** The uploads of one editor. The queue is loaded when it is first needed. */
export class Uploads {
  readonly #context: EditorContext
  #queue: UploadQueue | null = null
  /** True if the text may contain placeholders that are not in the queue. */
  #adopting = false
  /** Files that were added before the queue was loaded. */
  #early: NewFile[] = []

  constructor(context: EditorContext) {
    this.#context = context
    // After a reload or a rejected form, the text may contain placeholders of earlier uploads.
    if (context.textarea.value.includes(']()')) this.adopt()
  }

  /** True while files are being uploaded, or if the text contains a placeholder. */
  get pending(): boolean {
    if (this.#early.length > 0) return true
    return this.#queue?.isOpen(this.#context.surface.read().text) ?? this.#adopting
  }

  /** Forgets rejected files, so that only files that are rejected later stop the form. */
  forgetRefusals(): void {
    if (this.#queue !== null) this.#queue.hasRefused = false
  }

  add(files: readonly File[], placement?: Placement): void {
    if (files.length === 0) return
    this.#early.push(...files.map((file) => ({ ...placement, file })))
    this.#addEarly()
  }

  #addEarly(): void {
    this.load().catch((error: unknown) => {
      const { notice, strings } = this.#context
      const dismiss = (): void => {
        this.#early = []
      }
      notice.fail(
        messageOf(error),
        { label: strings.retry, run: () => this.#addEarly() },
        { label: strings.dismiss, run: dismiss },
      )
    })
  }

  /** Marks placeholders without an upload as interrupted, for example in a restored draft. */
  adopt(): void {
    if (this.#context.attribute('upload-url') === '') return
    this.#adopting = true
    this.load().catch(() => {}) // A submit tries again and reports the error.
  }

  /** Loads the queue and adds the waiting files to it. If loading fails, the files keep waiting. */
  async load(): Promise<UploadQueue> {
    if (this.#queue === null) {
      const { UploadQueue } = await loadPreparation(this.#context.strings)
      // Another call may have created the queue in the meantime.
      this.#queue ??= new UploadQueue(this.#context)
    }
    const queue = this.#queue
    if (!this.#context.signal.aborted) {
      queue.adopt()
      queue.add(this.#early.splice(0))
    }
    return queue
  }

  cancelAll(): void {
    this.#early = []
    this.#queue?.dropAll()
  }
}
