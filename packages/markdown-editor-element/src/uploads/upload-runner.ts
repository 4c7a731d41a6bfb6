import type { EditorContext } from '../editor/editor-context.ts'
import { canRetry, RequestError } from '../editor/requests/request-error.ts'
import { UploadTeller } from '../editor/upload-events.ts'
import { laterStrings } from '../i18n/later.ts'
import { messageOf } from '../i18n/load-part.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { watchComposition } from '../surface/composition.ts'
import { limitsOf, problemOf } from './check-file.ts'
import { openChooser } from './file-input.ts'
import { type MediaFile, mediaMarkdown } from './media-markdown.ts'
import type { PendingFiles } from './pending-files.ts'
import { insertSpaced, separate, spaceApart } from './placeholder.ts'
import { endOf, type Pause, pauseAfter, Slots, sendFile } from './send-file.ts'
import { fill, InterruptedError, placeIn, standsAlone, type Upload } from './upload.ts'
import type { RowAction } from './upload-list.ts'

const AT_ONCE = 3
// Of quicker uploads, in milliseconds, nobody needs to hear that half is done.
const WORTH_TELLING = 2000

/** Why an upload is aborted when its editor ends: its placeholder stays for who comes after. */
export const ENDED: unique symbol = Symbol('the editor has ended')

/** Takes uploads from their placeholder to what they become. */
export class UploadRunner {
  readonly #context: EditorContext
  readonly #strings: AllStrings
  readonly #pendingFiles: PendingFiles
  readonly #restart: (upload: Upload) => void
  readonly #idle: () => Promise<void>
  readonly #slots = new Slots(AT_ONCE)
  readonly #events: UploadTeller

  /** @param restart runs an upload that stopped once more */
  constructor(
    context: EditorContext,
    pendingFiles: PendingFiles,
    restart: (upload: Upload) => void,
  ) {
    this.#context = context
    this.#strings = laterStrings(context.strings)
    this.#pendingFiles = pendingFiles
    this.#restart = restart
    this.#idle = watchComposition(context.host, context.signal)
    this.#events = new UploadTeller(context.host)
  }

  /** Uploads one file. False when it was refused for good; failures that may pass leave the placeholder in the text. */
  async run(upload: Upload): Promise<boolean> {
    const { signal } = upload.abort
    upload.row.busy(() => upload.abort.abort())
    try {
      await this.#show(upload, upload.forms.running)
      const stored = await this.#deliver(upload, signal)
      await this.#arrived(stored, upload)
      const { name, type, url } = stored
      this.#events.tell('upload-success', upload, { name, type, url })
      return true
    } catch (error) {
      if (signal.aborted) {
        await this.#aborted(upload, signal)
        return true
      }
      const again = canRetry(error)
      await (again ? this.#stopped(upload, error) : this.#refused(upload, error))
      this.#events.tell('upload-error', upload, { message: messageOf(error), canRetry: again })
      return again
    }
  }

  /** Sends a file, and waits with it as long as there is no connection or the server has no time. */
  async #deliver(upload: Upload, signal: AbortSignal): Promise<MediaFile> {
    const { forms, row } = upload
    const cancel = (): void => upload.abort.abort()
    upload.file ??= await this.#pendingFiles.take(forms.running)
    const { file } = upload
    if (file === null) throw new InterruptedError(this.#strings.uploadInterrupted(upload.name))
    const send = (): Promise<MediaFile> => {
      this.#events.tell('upload-start', upload, {})
      return sendFile(this.#context, file, signal, this.#progressOf(upload))
    }
    for (;;) {
      row.busy(cancel)
      try {
        return await this.#slots.run(signal, send)
      } catch (error) {
        const pause = signal.aborted ? null : pauseAfter(error)
        if (pause === null) throw error
        const message = this.#strings.uploadWaits(upload.name, this.#reasonOf(pause))
        this.#context.notice.say(message)
        await endOf(pause, signal, (goOn) => row.waiting(message, goOn, cancel))
      }
    }
  }

  #progressOf({ row, name }: Upload): (share: number) => void {
    const begun = performance.now()
    let told = false
    return (share) => {
      row.progress(share)
      if (told || share < 0.5) return
      told = true
      if (performance.now() - begun > WORTH_TELLING)
        this.#context.notice.say(this.#strings.halfUploaded(name))
    }
  }

  #reasonOf(pause: Pause): string {
    return pause.kind === 'offline'
      ? this.#strings.offline
      : this.#strings.serverBusy(pause.seconds)
  }

  async #arrived(stored: MediaFile, upload: Upload): Promise<void> {
    const { notice, surface } = this.#context
    const { row } = upload
    const markdown = mediaMarkdown(stored, standsAlone(surface.read().text, upload))
    if (await this.#settle(upload, markdown)) {
      row.remove()
      notice.say(this.#strings.uploaded(stored.name))
      return
    }
    if (placeIn(this.#context.surface.read().text, upload) !== null) {
      upload.outcome = null
      throw new RequestError(this.#strings.noRoom)
    }
    const insert = (): void => {
      const state = this.#context.surface.read()
      this.#context.edit(insertSpaced(state, spaceApart(state, [markdown])), true)
    }
    const message = this.#strings.uploadUnplaced(stored.name)
    row.dismissible(message, { label: this.#strings.insert, run: insert })
    notice.say(message)
  }

  async #aborted(upload: Upload, { reason }: AbortSignal): Promise<void> {
    if (reason !== ENDED) await this.remove(upload)
    this.#events.tell('upload-abort', upload, {})
  }

  /** After a failure that may pass: the placeholder says so, and stays until the file is there or given up. */
  async #stopped(upload: Upload, error: unknown): Promise<void> {
    const { name, row, forms } = upload
    upload.error = error
    await this.#show(upload, forms.failed)
    const { chooseAgain, remove, removeUpload, retry, uploadFailed } = this.#strings
    const interrupted = error instanceof InterruptedError
    const message = interrupted ? error.message : uploadFailed(name, messageOf(error))
    const again: RowAction = interrupted
      ? { label: chooseAgain, run: () => this.#chooseAgain(upload) }
      : { label: retry, run: () => this.#restart(upload) }
    row.ended(message, [
      again,
      { label: remove, name: removeUpload(name), run: () => void this.remove(upload) },
    ])
    this.#context.notice.say(message)
  }

  async #refused(upload: Upload, error: unknown): Promise<void> {
    const message = this.#strings.uploadFailed(upload.name, messageOf(error))
    await this.#takeAway(upload)
    upload.row.dismissible(message, null)
    this.#context.notice.say(message)
  }

  #chooseAgain(upload: Upload): void {
    openChooser(upload.forms.running.startsWith('!') ? 'image/*' : null, false, ([file]) => {
      if (file === undefined) return
      const problem = problemOf(file, limitsOf(this.#context.host), this.#strings)
      if (problem !== null) {
        void this.#stopped(upload, new InterruptedError(problem))
        return
      }
      upload.file = file
      this.#restart(upload)
    })
  }

  /** Gives an upload up: the placeholder and the row go. */
  async remove(upload: Upload): Promise<void> {
    await this.#takeAway(upload)
    upload.row.remove()
  }

  async #takeAway(upload: Upload): Promise<void> {
    separate(upload.group, upload.placeholder)
    await this.#settle(upload, '')
  }

  /** Puts what comes of an upload in its place. False when the place is gone. */
  async #settle(upload: Upload, outcome: string): Promise<boolean> {
    upload.outcome = outcome
    this.#pendingFiles.forget(upload.forms.running)
    return this.#fill(upload, outcome)
  }

  /** Changes how the placeholder of an upload looks. */
  async #show(upload: Upload, form: string): Promise<void> {
    if (await this.#fill(upload, form)) upload.placeholder.text = form
  }

  async #fill(upload: Upload, insert: string): Promise<boolean> {
    await this.#idle()
    const edit = fill(this.#context.surface.read(), upload, insert)
    return edit !== null && this.#context.edit(edit, false)
  }
}
