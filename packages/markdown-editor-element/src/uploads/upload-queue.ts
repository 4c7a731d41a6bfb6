import { applyEdit, type TextState } from '../commands/edit.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { isConnectionLost } from '../editor/requests/request-error.ts'
import { laterStrings } from '../i18n/later.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { behindMarkup } from './behind-markup.ts'
import { limitsOf, numberFormat, problemOf } from './check-file.ts'
import { PendingFiles } from './pending-files.ts'
import { createPlaceholders, findPlaceholders, insertSpaced, spaceApart } from './placeholder.ts'
import { type CarriedUpload, fill, placeIn, type Upload } from './upload.ts'
import { UploadList } from './upload-list.ts'
import { ENDED, UploadRunner } from './upload-runner.ts'

const MOST_ADOPTED = 50

/** The uploads of one editor: each has a placeholder in the text until its file is there, or is given up. */
export class UploadQueue {
  readonly #context: EditorContext
  readonly #strings: AllStrings
  readonly #list: UploadList
  readonly #pendingFiles: PendingFiles
  readonly #runner: UploadRunner
  /** All of them: an undo may bring back the placeholder of one that is settled. */
  readonly #uploads = new Set<Upload>()
  readonly #busy = new Map<Upload, Promise<void>>()
  #refusedAt = Number.NEGATIVE_INFINITY

  constructor(context: EditorContext) {
    const { notice, signal, strings } = context
    this.#context = context
    this.#strings = laterStrings(strings)
    const percent = numberFormat(limitsOf(context.host).locale, { style: 'percent' })
    this.#list = new UploadList(this.#strings, percent, () => context.surface.focus())
    this.#pendingFiles = new PendingFiles(context)
    this.#runner = new UploadRunner(context, this.#pendingFiles, (upload) => this.#start(upload))
    notice.element.before(this.#list.element)
    window.addEventListener('online', () => this.#retry(({ error }) => isConnectionLost(error)), {
      signal,
    })
  }

  /** True while files are on their way. */
  get busy(): boolean {
    return this.#busy.size > 0
  }

  /** True when a text cannot be sent as it is: files are on their way, or it has a place without a file. */
  isOpen(text: string): boolean {
    return this.busy || this.hasFailed(text) || this.complete(text) !== text
  }

  /** True when a text has the place of an upload that failed. */
  hasFailed(text: string): boolean {
    return this.#failed().some((upload) => placeIn(text, upload) !== null)
  }

  /** Puts placeholders for files behind the selection and uploads the files. */
  add(files: readonly File[]): void {
    const { host, notice } = this.#context
    const limits = limitsOf(host)
    const problems: string[] = []
    const good = files.filter((file) => {
      const problem = problemOf(file, limits, this.#strings)
      if (problem === null) return true
      this.#list.add(file.name).dismissible(problem, null)
      problems.push(problem)
      return false
    })
    const [first] = good
    const { noRoom, retry, uploading, uploadingFiles } = this.#strings
    if (first !== undefined && this.#insert(good)) {
      problems.push(good.length > 1 ? uploadingFiles(good.length) : uploading(first.name))
    } else if (first !== undefined) {
      this.#list.add(first.name).dismissible(noRoom, { label: retry, run: () => this.add(good) })
      problems.push(noRoom)
    }
    if (problems.length > 0) notice.say(problems.join(' '))
  }

  /**
   * Goes on with the uploads of an editor before that still have a place in the text. Of placeholders that no upload
   * stands for, those whose files were kept by the browser are uploaded; the others are marked as interrupted.
   */
  adopt(carried: readonly CarriedUpload[]): void {
    const whole = this.#context.surface.read().text
    for (const upload of carried) if (placeIn(whole, upload) !== null) this.#register(upload)
    const known = this.#placeholders()
    for (const { text, name, ...forms } of findPlaceholders(whole, this.#strings).slice(
      0,
      MOST_ADOPTED,
    )) {
      if (known.includes(text)) continue
      known.push(forms.running, forms.failed)
      const placeholder = { before: '', text, after: '' }
      this.#register({ file: null, name, forms, placeholder, group: [placeholder] })
    }
  }

  /** When a file was refused for good the last time, in milliseconds of `performance.now()`. */
  get refusedAt(): number {
    return this.#refusedAt
  }

  /** Waits until no file is on its way. */
  async settled(): Promise<void> {
    while (this.busy) await Promise.all(this.#busy.values())
  }

  /** A text in which no placeholder of a settled upload stands any more. */
  complete(text: string): string {
    return this.#fillAll(text, ({ outcome }) => outcome)
  }

  /** A text in which no placeholder stands any more. */
  withoutPlaceholders(text: string): string {
    return this.#fillAll(text, ({ outcome }) => outcome ?? '')
  }

  /** Tries again what failed. */
  retryAll(): void {
    this.#retry(() => true)
  }

  /** Gives up what is on its way or failed, and takes the placeholders away. */
  async dropAll(): Promise<void> {
    for (const { abort } of this.#busy.keys()) abort.abort()
    for (const upload of this.#failed()) await this.#runner.remove(upload)
    await this.settled()
  }

  /** Ends with the editor; gives the uploads that did not get into the text. */
  end(): readonly CarriedUpload[] {
    const open = [...this.#uploads].filter(({ outcome }) => outcome === null)
    for (const { abort } of this.#uploads) abort.abort(ENDED)
    return open
  }

  #failed(): Upload[] {
    return [...this.#uploads].filter((upload) => upload.outcome === null && !this.#busy.has(upload))
  }

  #placeholders(): string[] {
    return [...this.#uploads].flatMap(({ forms }) => [forms.running, forms.failed])
  }

  #fillAll(text: string, contentOf: (upload: Upload) => string | null): string {
    let state: TextState = { text, selectionStart: 0, selectionEnd: 0 }
    for (const upload of this.#uploads) {
      const content = contentOf(upload)
      const edit = content === null ? null : fill(state, upload, content)
      if (edit !== null) state = applyEdit(state, edit)
    }
    return state.text
  }

  /** False when the text takes no more. */
  #insert(files: readonly File[]): boolean {
    const current = this.#context.surface.read()
    const state = { ...current, selectionEnd: behindMarkup(current.text, current.selectionEnd) }
    const forms = createPlaceholders(files, [state.text, ...this.#placeholders()], this.#strings)
    const placeholders = spaceApart(
      state,
      forms.map(({ running }) => running),
    )
    if (!this.#context.edit(insertSpaced(state, placeholders), true)) return false
    const group = [...placeholders]
    for (const [index, placeholder] of placeholders.entries()) {
      const [file, form] = [files[index], forms[index]]
      if (file === undefined || form === undefined) continue
      this.#register({ file, name: file.name, forms: form, placeholder, group })
      this.#pendingFiles.keep(form.running, file)
    }
    return true
  }

  #register(parts: CarriedUpload): void {
    const row = this.#list.add(parts.name)
    const upload: Upload = {
      ...parts,
      row,
      abort: new AbortController(),
      outcome: null,
      error: null,
    }
    this.#uploads.add(upload)
    this.#start(upload)
  }

  #retry(wanted: (upload: Upload) => boolean): void {
    for (const upload of this.#failed().filter(wanted)) this.#start(upload)
  }

  #start(upload: Upload): void {
    if (this.#context.signal.aborted || this.#busy.has(upload) || upload.outcome !== null) return
    upload.abort = new AbortController()
    this.#busy.set(upload, this.#run(upload))
  }

  async #run(upload: Upload): Promise<void> {
    try {
      if (!(await this.#runner.run(upload))) this.#refusedAt = performance.now()
    } finally {
      this.#busy.delete(upload)
    }
  }
}
