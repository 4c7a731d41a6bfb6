import { writeValue } from '../dom/write-value.ts'
import type { EditorContext } from '../editor-context.ts'
import { loadRewriteUrls, prefetchRewriteUrls } from '../load-part.ts'
import { withCsrfToken } from '../requests/csrf-token.ts'
import { announceRequest, canRetry, postText } from '../requests/requests.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { GuardedField } from './form-guard.ts'

/**
 * Makes the temporary files of an editor's text permanent before its form is sent. Files that the server no longer has
 * (`missing`) do not hold the form back: the text goes to the server as it is, which decides what to do about them.
 */
export class Finalizer implements GuardedField {
  readonly #context: EditorContext
  readonly #uploads: Uploads

  constructor(context: EditorContext, uploads: Uploads) {
    this.#context = context
    this.#uploads = uploads
    this.#prefetch()
  }

  needsPreparation(): boolean {
    const { textarea, surface } = this.#context
    if (textarea.matches(':disabled')) return false
    surface.flush()
    const { value } = textarea
    return this.#uploads.pending || this.#uploads.complete(value) !== value || this.#isTemporary(value)
  }

  async prepare(again: () => void): Promise<boolean> {
    const { notice, signal, strings, textarea } = this.#context
    const fail = (message: string, retry = true): false => {
      if (!signal.aborted) notice.fail(message, retry ? { label: strings.retry, run: again } : null)
      return false
    }
    if (this.#uploads.pending) notice.show(strings.waiting)
    if (!(await this.#uploads.settled())) return fail(strings.uploadStopsForm)
    this.#write(this.#uploads.complete(textarea.value))
    try {
      if (this.#isTemporary(textarea.value)) await this.#finalize()
    } catch (error) {
      return fail(strings.finalizeFailed(error instanceof Error ? error.message : String(error)), canRetry(error))
    }
    notice.clear()
    return true
  }

  /** Without `temp-url` nothing says which URLs are temporary, so the server is always asked. */
  #isTemporary(text: string): boolean {
    if (this.#url === '' || text === '') return false
    const prefix = this.#context.host.getAttribute('temp-url')
    return prefix === null || text.includes(prefix)
  }

  get #url(): string {
    return this.#context.attribute('finalize-url')
  }

  async #finalize(): Promise<void> {
    const { host, notice, signal, strings, textarea } = this.#context
    const { readOnly } = textarea
    notice.show(strings.finalizing)
    textarea.readOnly = true
    try {
      const rewriteUrls = await loadRewriteUrls(strings)
      const { replacements } = await withCsrfToken(textarea.form, signal, (token) => {
        const target = announceRequest(host, 'finalize', this.#url, token, signal, strings)
        return postText(target, textarea.value)
      })
      this.#write(rewriteUrls(textarea.value, replacements))
    } finally {
      textarea.readOnly = readOnly
    }
  }

  #prefetch(): void {
    if (this.#url === '') return
    const { strings, textarea } = this.#context
    const prefetch = (): void => prefetchRewriteUrls(strings)
    const { requestIdleCallback: whenIdle = setTimeout } = globalThis // Safari has none.
    if (this.#isTemporary(textarea.value)) prefetch()
    else whenIdle(prefetch)
  }

  #write(text: string): void {
    const { textarea } = this.#context
    if (text === textarea.value) return
    writeValue(textarea, text)
    textarea.dispatchEvent(new Event('input', { bubbles: true }))
  }
}
