/** An editor as its form sees it. */
export interface GuardedField {
  /** True when the text is not ready to be sent. */
  needsPreparation(): boolean
  /**
   * Makes the text ready.
   *
   * @param again sends the form once more, with the same button; for a retry
   * @returns false when it could not, and the user has been told why
   */
  prepare(again: () => void): Promise<boolean>
}

// How long a form that was just sent ignores another click: the second one of a double click comes within this time.
const DOUBLE_CLICK = 1500

const guards = new WeakMap<HTMLFormElement, FormGuard>()

/**
 * Holds a form back on submit until its editors are ready, then sends it once, with the button that was pressed.
 *
 * @returns ends it
 */
export function guardForm(form: HTMLFormElement, field: GuardedField): () => void {
  const guard = guards.get(form) ?? new FormGuard(form)
  guards.set(form, guard)
  guard.add(field)
  return () => {
    if (guard.remove(field)) guards.delete(form)
  }
}

class FormGuard {
  readonly #form: HTMLFormElement
  readonly #fields = new Set<GuardedField>()
  readonly #listening = new AbortController()
  #state: 'open' | 'preparing' | 'passing' = 'open'
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(form: HTMLFormElement) {
    this.#form = form
    // Before the page's own listeners: they see the submit once, with the finished text, and may still refuse it.
    form.addEventListener('submit', (event) => this.#onSubmit(event), {
      capture: true,
      signal: this.#listening.signal,
    })
  }

  add(field: GuardedField): void {
    this.#fields.add(field)
  }

  /** True when no field is left. */
  remove(field: GuardedField): boolean {
    this.#fields.delete(field)
    if (this.#fields.size > 0) return false
    this.#listening.abort()
    return true
  }

  #onSubmit(event: SubmitEvent): void {
    if (this.#state === 'passing' || event.defaultPrevented) return
    const fields = [...this.#fields].filter((field) => field.needsPreparation())
    const repeated = event.timeStamp - this.#sentAt < DOUBLE_CLICK
    if (this.#state === 'open' && fields.length === 0 && !repeated) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (this.#state === 'open' && !repeated) void this.#prepare(fields, event.submitter)
  }

  async #prepare(fields: readonly GuardedField[], submitter: HTMLElement | null): Promise<void> {
    this.#state = 'preparing'
    try {
      const ready = await Promise.all(fields.map((field) => field.prepare(() => this.#submit(submitter))))
      this.#state = 'passing'
      if (ready.every(Boolean)) this.#send(submitter)
    } finally {
      this.#state = 'open'
    }
  }

  #send(submitter: HTMLElement | null): void {
    let prevented = true
    // At the window, last of all: a page that sends the form by script has prevented the default by then.
    const look = (event: SubmitEvent): void => {
      if (event.target === this.#form) prevented = event.defaultPrevented
    }
    window.addEventListener('submit', look)
    try {
      this.#submit(submitter)
    } finally {
      window.removeEventListener('submit', look)
    }
    if (!prevented) this.#sentAt = performance.now()
  }

  #submit(submitter: HTMLElement | null): void {
    const present = submitter !== null && 'form' in submitter && submitter.form === this.#form
    this.#form.requestSubmit(present ? submitter : null)
  }
}
