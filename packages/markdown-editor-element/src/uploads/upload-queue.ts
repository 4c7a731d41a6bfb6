import type { UploadResponse } from '../contract/wire.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { canRetry, isConnectionLost, RequestError } from '../editor/request-error.ts'
import { laterStrings } from '../i18n/later.ts'
import { messageOf } from '../i18n/load-part.ts'
import type { AllStrings } from '../i18n/strings.ts'
import type { HistoryStep } from '../surface/surface.ts'
import { watchComposition } from '../surface/surface-switch.ts'
import { limitsOf, numberFormat, problemOf } from './check-file.ts'
import { openChooser } from './file-input.ts'
import { mediaMarkdown } from './media-markdown.ts'
import {
  createPlaceholders,
  fillPlaceholder,
  findPlaceholders,
  insertApart,
  placeholderIn,
} from './placeholder.ts'
import { pauseAfter, sendFile } from './send-file.ts'
import {
  type CarriedUpload,
  fillAll,
  InterruptedError,
  reportProgress,
  tell,
  type Upload,
} from './upload.ts'
import { UploadList } from './upload-list.ts'
import { isBusy, mayFollow, nextToSend, type UploadState } from './upload-state.ts'

const MOST_ADOPTED = 50

/** The uploads of one editor. Each has a placeholder in the text until it is settled. */
export class UploadQueue {
  readonly #context: EditorContext
  readonly #strings: AllStrings
  readonly #list: UploadList
  readonly #composed: () => Promise<void>
  /** Settled ones too, because undo can bring back their placeholders. */
  readonly #uploads = new Set<Upload>()
  readonly #waiting: (() => void)[] = []
  #refusedAt = Number.NEGATIVE_INFINITY

  constructor(context: EditorContext) {
    const { host, notice, signal, strings } = context
    this.#context = context
    this.#strings = laterStrings(strings)
    const percent = numberFormat(limitsOf(host).locale, { style: 'percent' })
    this.#list = new UploadList(this.#strings, percent, () => context.surface.focus())
    this.#composed = watchComposition(host, signal)
    notice.element.before(this.#list.element)
    const retry = (): void =>
      this.#retry(
        ({ state }) =>
          state.kind === 'paused' || (state.kind === 'failed' && isConnectionLost(state.error)),
      )
    window.addEventListener('online', retry, { signal })
    context.onChange((_changes, step) => step && queueMicrotask(() => this.#skip(step)))
  }

  /** True while uploads continue without the user. */
  get busy(): boolean {
    return [...this.#uploads].some(({ state }) => isBusy(state))
  }

  /** When the server last rejected a file for good, in milliseconds of `performance.now()`. */
  get refusedAt(): number {
    return this.#refusedAt
  }

  /** True when a text must not be sent: uploads are running, or it contains a placeholder. */
  isOpen(text: string): boolean {
    return this.busy || this.hasFailed(text) || this.complete(text) !== text
  }

  /** True when a text contains the placeholder of a failed upload. */
  hasFailed(text: string): boolean {
    return this.#failed().some(({ forms }) => placeholderIn(text, forms) !== null)
  }

  /** Inserts placeholders after the selection and uploads the files. */
  add(files: readonly File[]): void {
    const { host, notice } = this.#context
    const limits = limitsOf(host)
    const messages: string[] = []
    const good = files.filter((file) => {
      const problem = problemOf(file, limits, this.#strings)
      if (problem === null) return true
      this.#list.add(file.name).dismissible(problem, null)
      messages.push(problem)
      return false
    })
    const [first] = good
    const { noRoom, retry, uploading, uploadingFiles } = this.#strings
    if (first !== undefined && this.#insert(good)) {
      messages.push(good.length > 1 ? uploadingFiles(good.length) : uploading(first.name))
    } else if (first !== undefined) {
      this.#list.add(first.name).dismissible(noRoom, { label: retry, run: () => this.add(good) })
      messages.push(noRoom)
    }
    if (messages.length > 0) notice.say(messages.join(' '))
  }

  /**
   * Continues the uploads of the previous editor. Other placeholders in the text are marked as
   * interrupted.
   */
  adopt(carried: readonly CarriedUpload[]): void {
    const { text } = this.#context.surface.read()
    for (const upload of carried)
      if (placeholderIn(text, upload.forms) !== null) this.#register(upload)
    const known = new Set(this.#placeholders())
    for (const found of findPlaceholders(text, this.#strings).slice(0, MOST_ADOPTED)) {
      if (known.has(found.text)) continue
      const { name, running, failed } = found
      known.add(running).add(failed)
      this.#register({ file: null, name, forms: { running, failed } })
    }
  }

  /** Waits until no upload is busy, or the editor ends. */
  async settled(): Promise<void> {
    while (this.busy && !this.#context.signal.aborted)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Replaces the placeholders of settled uploads in a text. */
  complete(text: string): string {
    return fillAll(text, this.#uploads, ({ state }) =>
      state.kind === 'settled' ? state.content : null,
    )
  }

  /** Replaces or removes all placeholders in a text. */
  withoutPlaceholders(text: string): string {
    return fillAll(text, this.#uploads, ({ state }) =>
      state.kind === 'settled' ? state.content : '',
    )
  }

  retryAll(): void {
    this.#retry(({ state }) => state.kind === 'failed')
  }

  /** Stops all uploads and removes their placeholders. */
  async dropAll(): Promise<void> {
    const open = [...this.#uploads].filter(({ state }) => state.kind !== 'settled')
    await Promise.all(open.map((upload) => this.#remove(upload)))
  }

  /** Ends with the editor; returns the uploads that are not settled. */
  end(): readonly CarriedUpload[] {
    const open = [...this.#uploads].filter(({ state }) => state.kind !== 'settled')
    for (const { state } of open) if (state.kind === 'sending') state.abort.abort()
    this.#wake()
    return open
  }

  /** Repeats a step of the history that brought back the placeholder of a settled upload. */
  #skip(step: HistoryStep): void {
    const { signal, surface } = this.#context
    const { text } = surface.read()
    if (!signal.aborted && this.complete(text) !== text) surface[step]()
  }

  #failed(): Upload[] {
    return [...this.#uploads].filter(({ state }) => state.kind === 'failed')
  }

  #placeholders(): string[] {
    return [...this.#uploads].flatMap(({ forms }) => [forms.running, forms.failed])
  }

  /** False when the text has no room for the placeholders. */
  #insert(files: readonly File[]): boolean {
    const { text } = this.#context.surface.read()
    const created = createPlaceholders(files, [text, ...this.#placeholders()], this.#strings)
    const running = created.map((forms) => forms.running)
    if (!this.#write(running)) return false
    for (const [index, forms] of created.entries()) {
      const file = files[index]
      if (file !== undefined) this.#register({ file, name: file.name, forms })
    }
    return true
  }

  /** Inserts texts below the block at the caret. False when there is no room. */
  #write(texts: readonly string[]): boolean {
    const { surface } = this.#context
    const done = this.#context.edit(insertApart(surface.read(), texts), true)
    if (done) void surface.reveal()
    return done
  }

  #register({ file, name, forms }: CarriedUpload): void {
    const row = this.#list.add(name)
    const state: UploadState = { kind: 'queued' }
    const upload: Upload = { file, name, forms, row, state, started: false }
    this.#uploads.add(upload)
    row.busy(() => void this.#remove(upload))
    this.#sendNext()
  }

  #retry(wanted: (upload: Upload) => boolean): void {
    for (const upload of [...this.#uploads].filter(wanted)) this.#enqueue(upload)
  }

  #enqueue(upload: Upload): void {
    if (this.#change(upload, { kind: 'queued' })) upload.row.busy(() => void this.#remove(upload))
    this.#sendNext()
  }

  /** False when the state cannot follow, or the editor has ended. */
  #change(upload: Upload, state: UploadState): boolean {
    if (this.#context.signal.aborted || !mayFollow(upload.state, state)) return false
    upload.state = state
    this.#wake()
    return true
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #sendNext(): void {
    for (const upload of nextToSend(this.#uploads)) {
      const abort = new AbortController()
      if (this.#change(upload, { kind: 'sending', abort }))
        void this.#send(upload, abort.signal).finally(() => this.#sendNext())
    }
  }

  async #send(upload: Upload, signal: AbortSignal): Promise<void> {
    const { file, forms, name } = upload
    const { notice } = this.#context
    const { halfUploaded } = this.#strings
    try {
      if (file === null) throw new InterruptedError(this.#strings.uploadInterrupted(name))
      await this.#fill(upload, forms.running)
      signal.throwIfAborted()
      tell(this.#context.host, 'upload-start', upload, {})
      const stored = await sendFile(
        this.#context,
        file,
        signal,
        reportProgress(upload, () => notice.say(halfUploaded(name))),
      )
      await this.#place(upload, stored, signal)
      tell(this.#context.host, 'upload-success', upload, {
        name: stored.name,
        type: stored.type,
        url: stored.url,
      })
    } catch (error) {
      if (signal.aborted) tell(this.#context.host, 'upload-abort', upload, {})
      else await this.#stop(upload, error)
    }
  }

  /** Writes a stored file into the text. */
  async #place(upload: Upload, stored: UploadResponse, signal: AbortSignal): Promise<void> {
    const { notice } = this.#context
    const { insert, noRoom, uploaded, uploadUnplaced } = this.#strings
    const content = mediaMarkdown(stored)
    const filled = await this.#fill(upload, content)
    signal.throwIfAborted()
    if (!filled && placeholderIn(this.#context.surface.read().text, upload.forms) !== null)
      throw new RequestError(noRoom)
    this.#change(upload, { kind: 'settled', content })
    if (filled) upload.row.remove()
    else {
      const run = (): void => void this.#write([content])
      upload.row.dismissible(uploadUnplaced(stored.name), { label: insert, run })
    }
    notice.say(filled ? uploaded(stored.name) : uploadUnplaced(stored.name))
  }

  async #stop(upload: Upload, error: unknown): Promise<void> {
    const pause = pauseAfter(error)
    if (pause !== null) {
      const state: UploadState = { kind: 'paused', pause }
      if (!this.#change(upload, state)) return
      const { offline, serverBusy, uploadWaits } = this.#strings
      const reason = pause.kind === 'offline' ? offline : serverBusy(pause.seconds)
      const message = uploadWaits(upload.name, reason)
      const resume = (): void => {
        if (upload.state === state) this.#enqueue(upload)
      }
      if (pause.kind === 'busy') setTimeout(resume, pause.seconds * 1000)
      upload.row.waiting(message, resume, () => void this.#remove(upload))
      this.#context.notice.say(message)
      return
    }
    const message = messageOf(error)
    if (canRetry(error)) await this.#fail(upload, error)
    else await this.#refuse(upload, message)
    tell(this.#context.host, 'upload-error', upload, { message, canRetry: canRetry(error) })
  }

  /** Keeps the placeholder, marked as failed, until the user retries or removes the upload. */
  async #fail(upload: Upload, error: unknown): Promise<void> {
    const { name, row, forms } = upload
    await this.#fill(upload, forms.failed)
    if (!this.#change(upload, { kind: 'failed', error })) return
    const { chooseAgain, remove, removeUpload, retry, uploadFailed } = this.#strings
    const interrupted = error instanceof InterruptedError
    const message = interrupted ? error.message : uploadFailed(name, messageOf(error))
    row.ended(message, [
      interrupted
        ? { label: chooseAgain, run: () => this.#chooseAgain(upload) }
        : { label: retry, run: () => this.#enqueue(upload) },
      { label: remove, name: removeUpload(name), run: () => void this.#remove(upload) },
    ])
    this.#context.notice.say(message)
  }

  async #refuse(upload: Upload, reason: string): Promise<void> {
    const message = this.#strings.uploadFailed(upload.name, reason)
    await this.#fill(upload, '')
    if (!this.#change(upload, { kind: 'settled', content: '' })) return
    this.#refusedAt = performance.now()
    upload.row.dismissible(message, null)
    this.#context.notice.say(message)
  }

  #chooseAgain(upload: Upload): void {
    openChooser(upload.forms.running.startsWith('!') ? 'image/*' : null, false, ([file]) => {
      if (file === undefined) return
      const problem = problemOf(file, limitsOf(this.#context.host), this.#strings)
      if (problem !== null) {
        void this.#fail(upload, new InterruptedError(problem))
        return
      }
      upload.file = file
      this.#enqueue(upload)
    })
  }

  /** Stops an upload and removes its placeholder and row. */
  async #remove(upload: Upload): Promise<void> {
    const { state } = upload
    if (!this.#change(upload, { kind: 'settled', content: '' })) return
    if (state.kind === 'sending') state.abort.abort()
    await this.#fill(upload, '')
    upload.row.remove()
  }

  /** Replaces the placeholder. False when it is gone, or the text has no room. */
  async #fill({ forms }: Upload, insert: string): Promise<boolean> {
    await this.#composed()
    const edit = fillPlaceholder(this.#context.surface.read(), forms, insert)
    return edit !== null && this.#context.edit(edit, false)
  }
}
