import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { laterStrings } from '../i18n/later.ts'
import { type DraftBar, formatTime } from './bar.ts'
import type { FormFields } from './form-fields.ts'
import { noteLeft, noteSent } from './page.ts'
import type { DraftSession } from './session.ts'

// After the last key, and at the latest after the first one, in milliseconds.
const PAUSE = 1000
const LATEST = 5000

/** Saves the text of an editor during writing, before the page ends, and when the form is sent. */
export class DraftKeeper {
  readonly #context: EditorContext
  readonly #session: DraftSession
  readonly #bar: DraftBar
  readonly #fields: FormFields
  #timer: ReturnType<typeof setTimeout> | undefined
  // The times of the first change that is not saved, and of the last change.
  #since = 0
  #changed = 0
  // The text that was typed or saved last, even if a script has changed the field since.
  #typed: string | null = null
  #failed = false
  #isSending = false

  constructor(context: EditorContext, session: DraftSession, bar: DraftBar, fields: FormFields) {
    this.#context = context
    this.#session = session
    this.#bar = bar
    this.#fields = fields
    context.onChange(() => this.schedule())
    fields.onChange(() => this.schedule())
    this.#listen()
  }

  /** Saves the text later. The timer is set once and reads the clock, so that keys stay cheap. */
  schedule(): void {
    this.#changed = performance.now()
    if (this.#context.signal.aborted || this.#timer !== undefined) return
    this.#since = this.#changed
    this.#wait(PAUSE)
  }

  #wait(time: number): void {
    this.#timer = setTimeout(() => {
      const now = performance.now()
      const left = Math.min(this.#changed + PAUSE, this.#since + LATEST) - now
      if (left > 0) return this.#wait(left)
      whenIdle(() => {
        this.#timer = undefined
        if (!this.#context.signal.aborted) void this.#save(this.#text)
      })
    }, time)
  }

  #listen(): void {
    const { signal, textarea } = this.#context
    const typed = (): void => {
      if (!this.#fields.isRenamed) this.#typed = textarea.value
    }
    textarea.addEventListener('input', typed, { signal })
    // A page that is hidden may end without a word, as on phones.
    const hidden = (): void => {
      if (document.visibilityState === 'hidden') this.#saveNow()
    }
    document.addEventListener('visibilitychange', hidden, { signal })
    window.addEventListener('pagehide', () => this.#leave(), { signal })
    window.addEventListener('pageshow', ({ persisted }) => persisted && this.#tellSent(), {
      signal,
    })
    signal.addEventListener('abort', () => this.#saveNow())
    const root = textarea.getRootNode()
    root.addEventListener('submit', (event) => this.#onSubmit(event), { signal })
    root.addEventListener(
      'reset',
      ({ target }) => {
        if (target !== textarea.form) return
        // A form that empties itself must not take the only copy along.
        this.#session.saveNow(this.#text)
        this.#session.leave()
      },
      { signal },
    )
  }

  #onSubmit(event: Event): void {
    if (event.target !== this.#context.textarea.form) return
    const time = Date.now()
    // After all other listeners, because they may prevent it.
    setTimeout(() => {
      if (event.defaultPrevented || this.#context.signal.aborted) return
      noteSent(time)
      this.#isSending = true
      this.#session.markSent(this.#text, time)
    })
  }

  #leave(): void {
    if (this.#isSending) noteLeft()
    this.#isSending = false
    this.#session.saveNow(this.#text)
  }

  get #text(): string {
    return this.#context.surface.read().text
  }

  #saveNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = this.#fields.isRenamed ? this.#typed : this.#text
    if (text === null) return
    this.#session.saveNow(text)
    void this.#save(text)
  }

  async #save(text: string): Promise<void> {
    this.#typed = text
    try {
      const time = await this.#session.save(text)
      this.#failed = false
      this.#tell(
        time === null ? '' : this.#words.draftSaved(formatTime(time, this.#context.host)),
        false,
      )
    } catch {
      if (!this.#failed) this.#context.notice.say(this.#words.draftNotSaved)
      this.#failed = true
      this.#tell(this.#words.draftNotSaved, true)
    }
  }

  #tell(message: string, isWarning: boolean): void {
    if (!this.#context.signal.aborted) this.#context.status.set('draft', message, isWarning)
  }

  /** After a step back to a page that was put aside when its form was sent. */
  #tellSent(): void {
    const sent = this.#session.sentAt(this.#text)
    if (sent === null) return
    const message = this.#words.draftSent(formatTime(sent, this.#context.host))
    this.#bar.show(message, [{ label: this.#words.dismiss, run: () => this.#bar.hide() }], true)
  }

  get #words(): ReturnType<typeof laterStrings> {
    return laterStrings(this.#context.strings)
  }
}
