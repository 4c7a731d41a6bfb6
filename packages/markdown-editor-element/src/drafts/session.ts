import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { type Draft, type DraftField, type DraftValue, withLineFeeds } from './draft.ts'
import { FormFields } from './form-fields.ts'
import { noteSent } from './page.ts'
import { attempt, onCleared, putDraft, removeDraft, wereCleared } from './store.ts'

// Milliseconds after the first unsaved change. The text is then saved when the page is idle.
const DELAY = 1000

// The default lifetime of drafts, in seconds. By default, temporary files have the same lifetime.
const DAY = 86_400

/** Saves the draft of an editor while the user writes, when the page is hidden, and on submit. */
export class DraftSession {
  readonly field: DraftField
  /** The server's text. */
  readonly served: string
  readonly fields: FormFields
  readonly started: number = Date.now()
  readonly strings: AllStrings
  readonly #context: EditorContext
  #id = createId()
  #base: string
  /** When the text or a value was last changed. */
  #time = Date.now()
  #sent: number | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  // The last text and values of this draft, because the form may already show another draft.
  #text = ''
  #values: readonly DraftValue[] = []
  #stopped = false
  #failed = false

  constructor(context: EditorContext) {
    this.#context = context
    this.strings = lazyStrings(context.strings)
    this.field = { key: context.attribute('draft'), user: context.attribute('draft-user') }
    this.served = withLineFeeds(context.textarea.defaultValue)
    this.fields = new FormFields(context)
    this.#base = this.served
    this.#note()
    context.events.change.add(() => this.schedule())
    this.#listen()
  }

  schedule(): void {
    if (this.#context.signal.aborted) return
    this.#sent = null
    this.#time = Date.now()
    const save = (): void => {
      if (!this.#context.signal.aborted) this.save()
    }
    this.#timer ??= setTimeout(() => whenIdle(save), DELAY)
  }

  /** Saves the draft now. Removes it if nothing has changed or all changed values are empty. */
  save(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#note()
    if (wereCleared(this.started)) this.#stop()
    if (this.#stopped) return
    const draft = this.#draft()
    if (draft === null) removeDraft(this.#id)
    // Saves an unchanged draft too, because another tab may have discarded it.
    const failed = draft !== null && !putDraft(draft)
    const { draftNotSaved, draftSaved } = this.strings
    if (failed && !this.#failed) this.#context.notice.say(draftNotSaved)
    this.#failed = failed
    const saved = draft === null ? '' : draftSaved(formatTime(draft.time, this.#context.host))
    this.#show(failed ? draftNotSaved : saved, failed)
  }

  /** Continues a stored draft whose text is in the field now. */
  take(draft: Draft, base: string): void {
    this.#base = base
    this.save()
    if (!this.#failed) removeDraft(draft.id)
  }

  markSaved(text: string): void {
    this.#base = text
    this.fields.markSaved()
    removeDraft(this.#id)
  }

  #listen(): void {
    const { signal, textarea } = this.#context
    const root = textarea.getRootNode()
    const typed = ({ target }: Event): void => {
      if (target !== textarea && !this.fields.has(target)) return
      this.#note()
      this.schedule()
    }
    root.addEventListener('input', typed, { signal })
    const save = (): void => this.save()
    // A hidden page may be closed without another event, for example on phones.
    document.addEventListener('visibilitychange', save, { signal })
    window.addEventListener('pagehide', save, { signal })
    signal.addEventListener('abort', save)
    onCleared(this.started, () => this.#stop(), signal)
    root.addEventListener('submit', (event) => this.#onSubmit(event), { signal })
    root.addEventListener('reset', (event) => this.#onReset(event), { signal })
  }

  #onSubmit(event: Event): void {
    if (event.target !== this.#context.textarea.form) return
    const time = Date.now()
    // Runs after all other listeners, because they may prevent the submit.
    setTimeout(() => {
      if (event.defaultPrevented || this.#context.signal.aborted) return
      noteSent(time)
      this.#sent = time
      this.save()
    })
  }

  /** Keeps the old draft, because a form that was reset contains no copy of the text. */
  #onReset({ target }: Event): void {
    if (target !== this.#context.textarea.form) return
    this.save()
    this.#id = createId()
    this.#sent = null
  }

  #note(): void {
    const context = this.#context
    const { key, user } = this.field
    // The text does not belong to this draft if the attributes now name another draft.
    if (key !== context.attribute('draft') || user !== context.attribute('draft-user')) return
    this.#text = context.surface.read().text
    this.#values = this.fields.read()
  }

  #draft(): Draft | null {
    const text = this.#text
    const base = this.#base
    const fields = this.#values.filter((each) => each.value !== each.base)
    const isEmpty = text === base || text.trim() === ''
    if (isEmpty && fields.every(({ value }) => value.trim() === '')) return null
    const [id, time, sent] = [this.#id, this.#time, this.#sent]
    const expires = time + 1000 * (Number(this.#context.attribute('draft-max-age')) || DAY)
    return { ...this.field, id, time, expires, text, base, fields, sent }
  }

  #stop(): void {
    this.#stopped = true
    removeDraft(this.#id)
    this.#show('')
  }

  #show(message: string, isWarning = false): void {
    if (!this.#context.signal.aborted) this.#context.status.set('draft', message, isWarning)
  }
}

/** Formats a time in the language of an element. Adds the date if it is not today. */
export function formatTime(time: number, element: HTMLElement): string {
  const date = new Date(time)
  const isToday = date.toDateString() === new Date().toDateString()
  const options = { timeStyle: 'short', dateStyle: isToday ? undefined : 'medium' } as const
  const language = element.getAttribute('locale') || element.closest<HTMLElement>('[lang]')?.lang
  const byDefault = date.toLocaleString(undefined, options)
  // The language tag may be invalid.
  return attempt(() => date.toLocaleString(language || undefined, options), byDefault)
}

/** Creates a unique id. Does not use `crypto.randomUUID`, which needs a secure context. */
function createId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
