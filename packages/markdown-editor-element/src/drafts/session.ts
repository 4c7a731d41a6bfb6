import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { Draft, DraftField, DraftValue } from './draft.ts'
import type { FormFields } from './form-fields.ts'
import { noteSent } from './page.ts'
import { onCleared, putDraft, removeDraft, wereCleared } from './store.ts'

// A text is saved PAUSE ms after its last change. While the changes continue, it is saved LATEST ms
// after the first unsaved change.
const PAUSE = 1000
const LATEST = 5000

/** Saves the draft of an editor while the user writes, when the page is hidden, and on submit. */
export class DraftSession {
  readonly #context: EditorContext
  readonly #field: DraftField
  readonly #fields: FormFields
  readonly #maxAge: number
  readonly #started = Date.now()
  #id = createId()
  #base: string
  #saved: Draft | null = null
  #sent: number | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #latest = Number.POSITIVE_INFINITY
  // The last text and values of this draft. The form may already show another record.
  #text: string
  #values: readonly DraftValue[]
  #stopped = false
  #failed = false

  /** @param maxAge how long a draft is kept after its last change, in milliseconds */
  constructor(
    context: EditorContext,
    field: DraftField,
    fields: FormFields,
    served: string,
    maxAge: number,
  ) {
    this.#context = context
    this.#field = field
    this.#fields = fields
    this.#base = served
    this.#maxAge = maxAge
    this.#text = context.surface.read().text
    this.#values = fields.read()
    context.events.change.add(() => this.schedule())
    this.#listen()
  }

  schedule(): void {
    if (this.#context.signal.aborted) return
    this.#sent = null
    const now = performance.now()
    this.#latest = Math.min(this.#latest, now + LATEST)
    clearTimeout(this.#timer)
    const save = (): void => {
      if (!this.#context.signal.aborted) this.save()
    }
    this.#timer = setTimeout(() => whenIdle(save), Math.min(PAUSE, this.#latest - now))
  }

  /** Saves the text now. Removes the draft if the server has the text. */
  save(): void {
    clearTimeout(this.#timer)
    this.#latest = Number.POSITIVE_INFINITY
    this.#note()
    if (wereCleared(this.#field.user, this.#started)) this.#stop()
    if (this.#stopped) return
    const draft = this.#draft()
    // Saves an unchanged draft too, because another tab may have discarded it.
    if (draft !== null && !putDraft(draft)) {
      this.#fail()
      return
    }
    this.#failed = false
    if (draft === null) this.#forget()
    else this.#saved = draft
    const { draftSaved } = this.#strings
    this.#show(draft === null ? '' : draftSaved(formatTime(draft.time, this.#context.host)))
  }

  /** Continues a stored draft whose text is in the field now. */
  take(draft: Draft, base: string): void {
    this.#base = base
    this.save()
    if (!this.#failed) removeDraft(draft.id)
  }

  /** Records that the server has saved a text, and removes the draft. */
  markSaved(text: string): void {
    this.#base = text
    this.#fields.markSaved()
    this.#forget()
  }

  #listen(): void {
    const { signal, textarea } = this.#context
    const root = textarea.getRootNode()
    const typed = ({ target }: Event): void => {
      if (target === textarea) {
        if (!this.#isRenamed) this.#text = textarea.value
      } else if (this.#fields.has(target)) {
        this.#note()
        this.schedule()
      }
    }
    root.addEventListener('input', typed, { signal })
    // A hidden page may be closed without another event, for example on phones.
    const hidden = (): void => {
      if (document.visibilityState === 'hidden') this.save()
    }
    document.addEventListener('visibilitychange', hidden, { signal })
    window.addEventListener('pagehide', () => this.save(), { signal })
    signal.addEventListener('abort', () => this.save())
    onCleared(this.#field.user, this.#started, () => this.#stop(), signal)
    root.addEventListener('submit', (event) => this.#onSubmit(event), { signal })
    root.addEventListener('reset', ({ target }) => target === textarea.form && this.#onReset(), {
      signal,
    })
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
  #onReset(): void {
    this.save()
    this.#id = createId()
    this.#saved = null
    this.#sent = null
  }

  /** True if the form shows another record. */
  get #isRenamed(): boolean {
    const { key, user } = fieldOf(this.#context)
    return key !== this.#field.key || user !== this.#field.user
  }

  #note(): void {
    if (this.#isRenamed) return
    this.#text = this.#context.surface.read().text
    this.#values = this.#fields.read()
  }

  /** Returns the draft, or null if there is nothing to keep. */
  #draft(): Draft | null {
    const text = this.#text
    const base = this.#base
    const fields = this.#values.filter((each) => each.value !== each.base)
    const isEmpty = text === base || text.trim() === ''
    if (isEmpty && fields.every(({ value }) => value.trim() === '')) return null
    const saved = this.#saved
    const content = { ...this.#field, id: this.#id, text, base, fields, sent: this.#sent }
    const time = Date.now()
    const draft = { ...content, time, expires: time + this.#maxAge }
    const isSaved =
      saved !== null && JSON.stringify({ ...saved, ...content }) === JSON.stringify(saved)
    return isSaved ? saved : draft
  }

  #forget(): void {
    this.#saved = null
    removeDraft(this.#id)
  }

  #stop(): void {
    this.#stopped = true
    this.#forget()
    this.#show('')
  }

  #fail(): void {
    const message = this.#strings.draftNotSaved
    if (!this.#failed) this.#context.notice.say(message)
    this.#failed = true
    this.#show(message, true)
  }

  #show(message: string, isWarning = false): void {
    if (!this.#context.signal.aborted) this.#context.status.set('draft', message, isWarning)
  }

  get #strings(): ReturnType<typeof lazyStrings> {
    return lazyStrings(this.#context.strings)
  }
}

/** Reads the key and the user from the attributes of an editor. */
export function fieldOf(context: EditorContext): DraftField {
  return { key: context.attribute('draft'), user: context.attribute('draft-user') }
}

/** Formats a time in the language of an element. Adds the date if it is not today. */
export function formatTime(time: number, element: HTMLElement): string {
  const date = new Date(time)
  const today = date.toDateString() === new Date().toDateString()
  const options: Intl.DateTimeFormatOptions = {
    timeStyle: 'short',
    ...(today ? {} : { dateStyle: 'medium' }),
  }
  const language = element.getAttribute('locale') || element.closest<HTMLElement>('[lang]')?.lang
  try {
    return date.toLocaleString(language || undefined, options)
  } catch {
    return date.toLocaleString(undefined, options) // The language tag is invalid.
  }
}

/** Creates a unique id. Does not use `crypto.randomUUID`, which exists only on https. */
function createId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
