import { loadRewriteUrls, prefetchRewriteUrls } from '../load-part.ts'
import { withCsrfToken } from '../requests/csrf-token.ts'
import { announceRequest, canRetry, postText } from '../requests/requests.ts'
import type { Notice } from '../status/notice.ts'
import { STRINGS } from '../strings/en.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { GuardedField } from './form-guard.ts'

/**
 * Makes the temporary files of an editor's text permanent before its form is sent. Files that the server no longer has
 * (`missing`) do not hold the form back: the text goes to the server as it is, which decides what to do about them.
 */
export class Finalizer implements GuardedField {
  readonly #host: HTMLElement
  readonly #textarea: HTMLTextAreaElement
  readonly #uploads: Uploads
  readonly #notice: Notice
  readonly #signal: AbortSignal

  constructor(host: HTMLElement, textarea: HTMLTextAreaElement, uploads: Uploads, notice: Notice, signal: AbortSignal) {
    this.#host = host
    this.#textarea = textarea
    this.#uploads = uploads
    this.#notice = notice
    this.#signal = signal
    this.#prefetch()
  }

  needsPreparation(): boolean {
    if (this.#textarea.matches(':disabled')) return false
    const { value } = this.#textarea
    return this.#uploads.pending || this.#uploads.complete(value) !== value || this.#isTemporary(value)
  }

  async prepare(again: () => void): Promise<boolean> {
    const fail = (message: string, retry = true): false => {
      if (!this.#signal.aborted) this.#notice.fail(message, retry ? { label: STRINGS.retry, run: again } : null)
      return false
    }
    if (this.#uploads.pending) this.#notice.show(STRINGS.waiting)
    if (!(await this.#uploads.settled())) return fail(STRINGS.uploadStopsForm)
    this.#write(this.#uploads.complete(this.#textarea.value))
    try {
      if (this.#isTemporary(this.#textarea.value)) await this.#finalize()
    } catch (error) {
      return fail(STRINGS.finalizeFailed(error instanceof Error ? error.message : String(error)), canRetry(error))
    }
    this.#notice.clear()
    return true
  }

  /** Without `temp-url` nothing says which URLs are temporary, so the server is always asked. */
  #isTemporary(text: string): boolean {
    if (this.#url === '' || text === '') return false
    const prefix = this.#host.getAttribute('temp-url')
    return prefix === null || text.includes(prefix)
  }

  get #url(): string {
    return this.#host.getAttribute('finalize-url') ?? ''
  }

  async #finalize(): Promise<void> {
    const textarea = this.#textarea
    const { readOnly } = textarea
    this.#notice.show(STRINGS.finalizing)
    textarea.readOnly = true
    try {
      const rewriteUrls = await loadRewriteUrls()
      const { replacements } = await withCsrfToken(textarea.form, this.#signal, (token) => {
        const target = announceRequest(this.#host, 'finalize', this.#url, token, this.#signal)
        return postText(target, textarea.value)
      })
      this.#write(rewriteUrls(textarea.value, replacements))
    } finally {
      textarea.readOnly = readOnly
    }
  }

  #prefetch(): void {
    if (this.#url === '') return
    const { requestIdleCallback: whenIdle = setTimeout } = globalThis // Safari has none.
    if (this.#isTemporary(this.#textarea.value)) prefetchRewriteUrls()
    else whenIdle(prefetchRewriteUrls)
  }

  #write(text: string): void {
    if (text === this.#textarea.value) return
    this.#textarea.value = text
    this.#textarea.dispatchEvent(new Event('input', { bubbles: true }))
  }
}
