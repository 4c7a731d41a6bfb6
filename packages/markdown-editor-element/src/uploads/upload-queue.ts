import { mediaMarkdown } from '../contract/media-markdown.ts'
import type { UploadResponse } from '../contract/wire.ts'
import { createElement } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { canRetry, isConnectionLost, RequestError } from '../editor/request-error.ts'
import { postFile } from '../editor/requests.ts'
import type { HistoryStep } from '../editor/surface.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { messageOf } from '../i18n/load-part.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { limitsOf, numberFormat, problemOf } from './check-file.ts'
import { openChooser } from './file-input.ts'
import { createPlaceholders, findPlaceholders, Insertion } from './placeholder.ts'
import { dispatch, type NewFile, type Upload } from './upload.ts'
import { type UploadList, UploadRow } from './upload-list.ts'
import { fillSettled, hasPlace, insertBelow, replacePlace } from './upload-place.ts'

const MOST_AT_ONCE = 3
const MOST_ADOPTED = 50

/** The uploads of one editor. Until one is settled, its placeholder or the old image stays. */
export class UploadQueue {
  readonly #context: EditorContext
  readonly #strings: AllStrings
  readonly #list: UploadList
  /** All uploads, including settled ones, because undo can bring back their placeholders. */
  readonly #uploads = new Set<Upload>()
  readonly #waiting: (() => void)[] = []
  /** True if the server rejected a file since the last submit and a retry cannot help. */
  hasRefused = false

  constructor(context: EditorContext) {
    const { host, notice, signal, strings } = context
    this.#context = context
    this.#strings = lazyStrings(strings)
    const attributes = { class: 'md-editor-uploads', 'aria-label': this.#strings.uploads }
    this.#list = {
      element: createElement('ul', { ...attributes, hidden: true }),
      strings: this.#strings,
      percent: numberFormat(limitsOf(host).locale, { style: 'percent' }),
      leave: () => context.surface.focus(),
    }
    notice.element.before(this.#list.element)
    window.addEventListener('online', () => this.#retryLost(), { signal })
    signal.addEventListener('abort', () => this.#end())
    context.events.change.add((step) => step && queueMicrotask(() => this.#skip(step)))
  }

  /** Excludes failed uploads, because they wait for the user. */
  get busy(): boolean {
    return [...this.#uploads].some(({ state: { kind } }) => kind === 'queued' || kind === 'sending')
  }

  /** Returns whether uploads run, or the text still waits for an upload. */
  isOpen(text: string): boolean {
    return this.busy || this.hasFailed(text) || this.complete(text) !== text
  }

  hasFailed(text: string): boolean {
    return [...this.#uploads].some(
      (upload) => upload.state.kind === 'failed' && hasPlace(upload, text),
    )
  }

  /**
   * Queues files, and shows the problem of each rejected file. Files that do not replace an image
   * get a placeholder at the caret.
   */
  add(files: readonly NewFile[]): void {
    const { host, notice } = this.#context
    const limits = limitsOf(host)
    const messages: string[] = []
    const good = files.filter(({ file }) => {
      const problem = problemOf(file, limits, this.#strings)
      if (problem === null) return true
      new UploadRow(this.#list, file.name).showDismissible(problem, null, true)
      messages.push(problem)
      return false
    })
    const [first] = good
    const { retry, uploading, uploadingFiles } = this.#strings
    if (first !== undefined && this.#insert(good)) {
      messages.push(good.length > 1 ? uploadingFiles(good.length) : uploading(first.file.name))
    } else if (first !== undefined) {
      const again = { label: retry, run: () => this.add(good) }
      new UploadRow(this.#list, first.file.name).showDismissible(this.#refusal, again, true)
      messages.push(this.#refusal)
    }
    if (messages.length > 0) notice.say(messages.join(' '))
  }

  /** Finds placeholders in the text that have no upload, and marks them as interrupted. */
  adopt(): void {
    const known = new Set(this.#placeholders())
    const { text } = this.#context.surface.read()
    const found = findPlaceholders(text, this.#strings).slice(0, MOST_ADOPTED)
    for (const { name, text: placeholder } of found)
      if (!known.has(placeholder)) {
        const write = mediaMarkdown
        this.#register({ file: null, name, write, placeholder, replaces: null, insertion: null })
      }
  }

  /** Also returns when the signal aborts or the editor stops. */
  async whenIdle(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake(), { once: true })
    while (this.busy && !signal.aborted && !this.#context.signal.aborted)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  complete(text: string): string {
    return fillSettled(text, this.#uploads)
  }

  retryAll(): void {
    for (const upload of this.#uploads) this.#enqueue(upload)
  }

  /** Stops all uploads and removes their placeholders. */
  dropAll(): void {
    const isOpen = (): boolean => [...this.#uploads].some(({ state }) => state.kind !== 'settled')
    while (isOpen() && !this.#context.signal.aborted) {
      for (const upload of this.#uploads) this.#remove(upload)
      this.adopt() // Adopts the next placeholders, because a text may have more than MOST_ADOPTED.
    }
  }

  get #refusal(): string {
    return this.#context.surface.editable ? this.#strings.noRoom : this.#strings.readOnly
  }

  #end(): void {
    for (const { state } of this.#uploads) if (state.kind === 'sending') state.abort.abort()
    this.#wake()
  }

  /** Repeats an undo or redo if it has brought back the placeholder of a settled upload. */
  #skip(step: HistoryStep): void {
    const { signal, surface } = this.#context
    const { text } = surface.read()
    if (!signal.aborted && this.complete(text) !== text) surface.step(step)
  }

  #placeholders(): string[] {
    return [...this.#uploads].map(({ placeholder }) => placeholder)
  }

  /** Inserts placeholders and queues the files. Returns false if the text cannot be changed. */
  #insert(files: readonly NewFile[]): boolean {
    if (!this.#context.surface.editable) return false
    const before = this.#context.surface.read()
    const known = [before.text, ...this.#placeholders()]
    const inserted = files.flatMap(({ file, replaces }) => (replaces === undefined ? file : []))
    const created = createPlaceholders(inserted, known, this.#strings)
    if (created.length > 0 && !insertBelow(this.#context, created)) return false
    const insertion = new Insertion(before, this.#context.surface.read().text, created.length)
    for (const { file, replaces = null, write = mediaMarkdown } of files) {
      const placeholder = replaces === null ? (created.shift() ?? '') : ''
      this.#register({ file, name: file.name, write, placeholder, replaces, insertion })
    }
    return true
  }

  #register(added: Omit<Upload, 'row' | 'state'>): void {
    const row = new UploadRow(this.#list, added.name)
    const upload: Upload = { ...added, row, state: { kind: 'queued' } }
    this.#uploads.add(upload)
    if (upload.file === null) this.#fail(upload, null, this.#strings.uploadInterrupted(upload.name))
    else {
      row.showBusy(() => this.#remove(upload))
      this.#sendNext()
    }
  }

  #retryLost(): void {
    for (const upload of this.#uploads)
      if (upload.state.kind === 'failed' && isConnectionLost(upload.state.error))
        this.#enqueue(upload)
  }

  #enqueue(upload: Upload): void {
    const { file, state } = upload
    if (file !== null && state.kind === 'failed' && this.#change(upload, { kind: 'queued' }))
      upload.row.showBusy(() => this.#remove(upload))
    this.#sendNext()
  }

  /** Changes the state of an upload. Returns false if it is settled or the editor has stopped. */
  #change(upload: Upload, state: Upload['state']): boolean {
    if (this.#context.signal.aborted || upload.state.kind === 'settled') return false
    upload.state = state
    this.#wake()
    return true
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #sendNext(): void {
    const all = [...this.#uploads]
    const sending = all.filter(({ state }) => state.kind === 'sending').length
    const queued = all.filter(({ state }) => state.kind === 'queued')
    for (const upload of queued.slice(0, Math.max(0, MOST_AT_ONCE - sending))) {
      const abort = new AbortController()
      if (upload.file !== null && this.#change(upload, { kind: 'sending', abort }))
        void this.#send(upload, upload.file, abort.signal).finally(() => this.#sendNext())
    }
  }

  async #send(upload: Upload, file: File, signal: AbortSignal): Promise<void> {
    const { host } = this.#context
    try {
      dispatch(host, 'upload-start', { file })
      const stored = await postFile(this.#context, file, signal, (share) =>
        upload.row.showProgress(share),
      )
      await this.#place(upload, stored, signal)
      const { type, url } = stored
      dispatch(host, 'upload-success', { file, name: stored.name, type, url })
    } catch (error) {
      if (signal.aborted) dispatch(host, 'upload-abort', { file })
      else await this.#stop(upload, file, error)
    }
  }

  async #place(upload: Upload, stored: UploadResponse, signal: AbortSignal): Promise<void> {
    const { notice } = this.#context
    const { insert, uploaded, uploadUnplaced } = this.#strings
    const content = upload.write(stored)
    const filled = await this.#fill(upload, content)
    signal.throwIfAborted()
    if (!filled && hasPlace(upload, this.#context.surface.read().text))
      throw new RequestError(this.#refusal)
    this.#change(upload, { kind: 'settled', content })
    if (filled) upload.row.remove()
    else {
      const run = (): void => {
        if (insertBelow(this.#context, [content])) return
        const again = { label: insert, run }
        new UploadRow(this.#list, stored.name).showDismissible(this.#refusal, again, true)
      }
      upload.row.showDismissible(uploadUnplaced(stored.name), { label: insert, run })
    }
    notice.say(filled ? uploaded(stored.name) : uploadUnplaced(stored.name))
  }

  async #stop(upload: Upload, file: File, error: unknown): Promise<void> {
    const message = messageOf(error)
    const failed = this.#strings.uploadFailed(upload.name, message)
    if (canRetry(error)) this.#fail(upload, error, failed)
    else await this.#refuse(upload, failed)
    dispatch(this.#context.host, 'upload-error', { file, message, canRetry: canRetry(error) })
  }

  /** Keeps the placeholder until the user retries or removes the upload. */
  #fail(upload: Upload, error: unknown, message: string): void {
    if (!this.#change(upload, { kind: 'failed', error })) return
    const { name, row } = upload
    const { cancel, cancelUpload, chooseAgain, remove, removeUpload, retry } = this.#strings
    const run = (): void => this.#remove(upload)
    row.showResult(message, [
      upload.file === null
        ? { label: chooseAgain, run: () => this.#chooseAgain(upload) }
        : { label: retry, run: () => this.#enqueue(upload) },
      // A file that replaces an image has no placeholder, so nothing is removed from the text.
      upload.replaces === null
        ? { label: remove, name: removeUpload(name), run }
        : { label: cancel, name: cancelUpload(name), run },
    ])
    this.#context.notice.say(message)
  }

  async #refuse(upload: Upload, message: string): Promise<void> {
    await this.#fill(upload, '')
    if (!this.#change(upload, { kind: 'settled', content: '' })) return
    this.hasRefused = true
    upload.row.showDismissible(message, null)
    this.#context.notice.say(message)
  }

  #chooseAgain(upload: Upload): void {
    openChooser(upload.placeholder.startsWith('!') ? 'image/*' : '', false, ([file]) => {
      if (file === undefined) return
      const problem = problemOf(file, limitsOf(this.#context.host), this.#strings)
      if (problem === null) {
        upload.file = file
        this.#enqueue(upload)
      } else this.#fail(upload, null, problem)
    })
  }

  #remove(upload: Upload): void {
    const { state } = upload
    if (!this.#change(upload, { kind: 'settled', content: '' })) return
    if (state.kind === 'sending') state.abort.abort()
    replacePlace(this.#context, upload, '')
    upload.row.remove()
    this.#context.notice.say(this.#strings.uploadRemoved)
  }

  /** Calls `replacePlace` after the current composition. */
  async #fill(upload: Upload, insert: string): Promise<boolean> {
    await this.#context.events.composed()
    return replacePlace(this.#context, upload, insert)
  }
}
