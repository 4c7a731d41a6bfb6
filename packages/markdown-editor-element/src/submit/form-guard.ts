import { formMember } from '../dom/elements.ts'
import { whenIdle } from '../dom/idle.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'
import type { EditorStrings } from '../i18n/strings.ts'
import { type GuardedField, needsPreparation } from './guarded-field.ts'

/**
 * Stops the submit of a form whose editor is not loaded yet. Once it is, sends the form again, and
 * the editor handles that submit.
 *
 * @param field the field of the moment
 * @param started settles when the editor is there, or never will be
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

/** Sends a form as a press of its button does. A button that was removed meanwhile is left out. */
function submit(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const present = submitter !== null && 'form' in submitter && submitter.form === form
  formMember(form, 'requestSubmit').call(form, present ? submitter : null)
}

const guards = new WeakMap<Node, RootGuard>()

/**
 * On submit, stops the form until all its editors are ready, then sends it once, with the pressed
 * button. The form is looked up each time, because a textarea can move to another one.
 *
 * @returns ends it
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

// Limits the rounds for a script that changes a text each time. The server also finalizes on save.
const MOST_ROUNDS = 5

/**
 * Makes texts ready to be sent: waits for uploads, and makes temporary files permanent. Repeats it
 * for those that change meanwhile.
 *
 * @param fields returns the editors of the moment
 * @param again does it once more, for a retry
 * @returns false when it could not, and the user has been told why
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
    try {
      const { prepareFields } = await loadPreparation(strings)
      const finished = await prepareFields(open, again)
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
 * Loads what uploads and submits need beyond the first script. The browser keeps it.
 *
 * @throws Error as `loadPart` does
 */
export function loadPreparation(
  strings: EditorStrings,
): Promise<typeof import('./prepare-fields.ts')> {
  return loadPart(() => import('./prepare-fields.ts'), strings)
}

/**
 * Loads it ahead, so that a form can be sent after a deployment that replaced the scripts of the
 * page.
 */
export function prefetchPreparation(strings: EditorStrings): void {
  whenIdle(() => {
    loadPreparation(strings).catch(() => {}) // The upload or the submit tries again, and reports it.
  })
}

/** The forms of a document, or of a shadow root: events of forms do not leave it. */
class RootGuard {
  readonly fields: Set<GuardedField> = new Set()
  readonly #steps = new WeakMap<HTMLFormElement, 'preparing' | 'passing'>()
  readonly #listening = new AbortController()

  constructor(root: Node) {
    const { signal } = this.#listening
    // Before the listeners of the page and its libraries: they see the submit once, with the
    // finished text, and may still refuse it.
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
