import { formMember } from '../dom/elements.ts'
import { whenIdle } from '../dom/idle.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'
import type { EditorStrings } from '../i18n/strings.ts'
import { type GuardedField, needsPreparation } from './guarded-field.ts'

/**
 * Stops the submit of a form whose editor is not loaded yet. Submits the form again once the editor
 * is loaded, so that the editor handles the submit.
 *
 * @param field returns the current field
 * @param started resolves when the editor is loaded or cannot be loaded
 */
export function holdForm(
  root: Node,
  field: () => HTMLTextAreaElement | null,
  started: Promise<void>,
): void {
  let held = false
  const hold = (event: Event): void => {
    const form = event.target as HTMLFormElement
    if (field()?.form !== form) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (held) return
    held = true
    void started.then(() => submit(form, (event as SubmitEvent).submitter))
  }
  root.addEventListener('submit', hold, { capture: true })
  void started.then(() => root.removeEventListener('submit', hold, { capture: true }))
}

/** Submits a form as if its button was pressed. Ignores a button that is no longer in the form. */
function submit(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const present = submitter !== null && 'form' in submitter && submitter.form === form
  formMember(form, 'requestSubmit').call(form, present ? submitter : null)
}

const guards = new WeakMap<Node, RootGuard>()

/**
 * Stops the submit of a form until all its editors are ready, then submits it once, with the
 * pressed button. The form is looked up each time, because a textarea can move to another one.
 *
 * @returns a function that removes the field from the guard
 */
export function guardForm(field: GuardedField): () => void {
  const root = field.context.textarea.getRootNode()
  const guard = guards.get(root) ?? new RootGuard(root)
  guards.set(root, guard)
  guard.fields.add(field)
  return () => {
    guard.fields.delete(field)
    if (guard.fields.size > 0) return
    guard.end()
    guards.delete(root)
  }
}

// The maximum number of rounds, because a script may change a text in each of them. The server also
// finalizes texts on save.
const MOST_ROUNDS = 5

/**
 * Prepares texts for a submit: waits for uploads, and makes temporary files permanent. Repeats this
 * for texts that change meanwhile.
 *
 * @param fields returns the current editors of the form
 * @param again starts the preparation again, for a retry
 * @returns false if a text is not ready, for example after an error, which the user has seen
 */
export async function prepare(
  fields: () => readonly GuardedField[],
  again: () => void,
): Promise<boolean> {
  const ready = new Set<GuardedField>()
  for (let round = 0; round < MOST_ROUNDS; round++) {
    // Files may have been added to an editor that was ready.
    const open = fields().filter(
      (field) => (!ready.has(field) || field.uploads.pending) && needsPreparation(field),
    )
    const [first] = open
    if (first === undefined) return true
    const { notice, strings } = first.context
    // Counted before anything is awaited, so that a file rejected from now on stops the form.
    const refusals = open.map(({ uploads }) => uploads.refusals)
    try {
      const { prepareFields } = await loadPreparation(strings)
      const finished = await prepareFields(open, refusals, again)
      if (finished === null) return false
      for (const field of finished) ready.add(field)
    } catch (error) {
      notice.fail(messageOf(error), { label: strings.retry, run: again })
      return false
    }
  }
  return !fields().some(({ uploads }) => uploads.pending)
}

/**
 * Loads the module that uploads and submits need. The browser caches it.
 *
 * @throws Error with a message for the user if the module cannot be loaded
 */
export function loadPreparation(
  strings: EditorStrings,
): Promise<typeof import('./prepare-fields.ts')> {
  return loadPart(() => import('./prepare-fields.ts'), strings)
}

/**
 * Loads the module for uploads and submits in advance, so that a form can be sent even after a
 * deployment has replaced the scripts of the page.
 */
export function prefetchPreparation(strings: EditorStrings): void {
  whenIdle(() => {
    loadPreparation(strings).catch(() => {}) // The upload or the submit tries again, and reports it.
  })
}

/**
 * Guards the forms of a document or of a shadow root. Each root needs its own guard, because events
 * of forms do not leave a shadow root.
 */
class RootGuard {
  readonly fields: Set<GuardedField> = new Set()
  readonly #steps = new WeakMap<HTMLFormElement, 'preparing' | 'passing'>()
  readonly #listening = new AbortController()

  constructor(root: Node) {
    const { signal } = this.#listening
    // Runs before the listeners of the page and its libraries, so that they get the submit once,
    // with the finished text, and can still prevent it.
    root.addEventListener('submit', (event) => this.#onSubmit(event as SubmitEvent), {
      capture: true,
      signal,
    })
    root.addEventListener('reset', (event) => this.#onReset(event), { signal })
  }

  end(): void {
    this.#listening.abort()
  }

  #fieldsOf(form: EventTarget | null): GuardedField[] {
    return [...this.fields].filter(({ context }) => context.textarea.form === form)
  }

  #onReset(event: Event): void {
    if (!event.defaultPrevented)
      for (const { uploads } of this.#fieldsOf(event.target)) uploads.cancelAll()
  }

  #onSubmit(event: SubmitEvent): void {
    const form = event.target as HTMLFormElement
    const step = this.#steps.get(form)
    const fields = this.#fieldsOf(form)
    if (step === 'passing' || event.defaultPrevented || fields.length === 0) return
    const open = fields.filter(needsPreparation)
    if (step === undefined && open.length === 0) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (step === undefined) void this.#prepare(form, event.submitter)
  }

  async #prepare(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
    this.#steps.set(form, 'preparing')
    try {
      const again = (): void => submit(form, submitter)
      if (!(await prepare(() => this.#fieldsOf(form), again))) return
      this.#steps.set(form, 'passing')
      submit(form, submitter)
    } finally {
      this.#steps.delete(form)
    }
  }
}
