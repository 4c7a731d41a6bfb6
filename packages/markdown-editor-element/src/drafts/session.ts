import { whenIdle } from '../dom/idle.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import { type Draft, type DraftField, type DraftValue, withLineFeeds } from './draft.ts'
import { FormFields } from './form-fields.ts'
import { noteSent } from './page.ts'
import { onCleared, putDraft, removeDraft, wereCleared } from './store.ts'

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
  readonly #context: EditorContext
  /** How long a draft is kept after its last change, in milliseconds. */
  readonly #maxAge: number
  #id = createId()
  #base: string
  /** When the text or a value was last changed. */
  #time = Date.now()
  #sent: number | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  // The last text and values of this draft, because the form may already show another draft.
  #text: string
  #values: readonly DraftValue[]
  #stopped = false
  #failed = false

  constructor(context: EditorContext) {
    this.#context = context
    this.field = fieldOf(context)
    this.served = withLineFeeds(context.textarea.defaultValue)
    this.fields = new FormFields(context)
    this.#base = this.served
    this.#maxAge = 1000 * (Number(context.attribute('draft-max-age')) || DAY)
    this.#text = context.surface.read().text
    this.#values = this.fields.read()
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
    // Saves an unchanged draft too, because another tab may have discarded it.
    if (draft !== null && !putDraft(draft)) {
      this.#fail()
      return
    }
    this.#failed = false
    if (draft === null) removeDraft(this.#id)
    const { draftSaved } = this.#strings
    this.#show(draft === null ? '' : draftSaved(formatTime(draft.time, this.#context.host)))
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
    this.#sent = null
  }

  #note(): void {
    const { key, user } = fieldOf(this.#context)
    // The text does not belong to this draft if the attributes now name another draft.
    if (key !== this.field.key || user !== this.field.user) return
    this.#text = this.#context.surface.read().text
    this.#values = this.fields.read()
  }

  #draft(): Draft | null {
    const text = this.#text
    const base = this.#base
    const fields = this.#values.filter((each) => each.value !== each.base)
    const isEmpty = text === base || text.trim() === ''
    if (isEmpty && fields.every(({ value }) => value.trim() === '')) return null
    const { key, user } = this.field
    const [id, time, sent] = [this.#id, this.#time, this.#sent]
    return { id, key, user, time, expires: time + this.#maxAge, text, base, fields, sent }
  }

  #stop(): void {
    this.#stopped = true
    removeDraft(this.#id)
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

function fieldOf(context: EditorContext): DraftField {
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

/** Creates a unique id. Does not use `crypto.randomUUID`, which needs a secure context. */
function createId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
