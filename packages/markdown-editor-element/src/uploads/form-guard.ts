import { formMember } from '../dom/elements.ts'
import { whenIdle } from '../dom/idle.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'
import type { EditorStrings } from '../i18n/strings.ts'
import { hasTemporaryFiles, type UploadingEditor } from './uploads.ts'

/**
 * Stops the submit of a form whose editor is not loaded yet. Submits the form again when `started`
 * resolves, so that the editor handles the submit.
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
 * Delays the submits of an editor's form until all editors in the form are ready. Looks up the form
 * at each submit, because a textarea can move to another form. Returns a function that ends this.
 */
export function guardForm(editor: UploadingEditor): () => void {
  const root = editor.textarea.getRootNode()
  const guard = guards.get(root) ?? new RootGuard(root)
  guards.set(root, guard)
  guard.editors.add(editor)
  return () => {
    guard.editors.delete(editor)
    if (guard.editors.size > 0) return
    guard.end()
    guards.delete(root)
  }
}

// Scripts may change a text in each attempt, so the attempts are limited. Saving finalizes again.
const MAX_ATTEMPTS = 5

/**
 * Waits for uploads and makes temporary files permanent. Repeats this for texts that change
 * meanwhile. Returns false after an error, which the user has seen.
 */
export async function prepare(
  editors: () => readonly UploadingEditor[],
  again: () => void,
): Promise<boolean> {
  const ready = new Set<UploadingEditor>()
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Files may have been added to an editor that was ready.
    const open = editors().filter(
      (each) => (!ready.has(each) || each.uploads.pending) && needsPreparation(each),
    )
    const [first] = open
    if (first === undefined) return true
    const { notice, strings } = first
    // Counted now, because an upload may be rejected while the module is loaded.
    const counted = open.map((editor) => ({ editor, refusals: editor.uploads.refusals }))
    try {
      const { prepareFields } = await loadPreparation(strings)
      const finished = await prepareFields(counted, again)
      if (finished === null) return false
      for (const each of finished) ready.add(each)
    } catch (error) {
      notice.fail(messageOf(error), { label: strings.retry, run: again })
      return false
    }
  }
  return !editors().some(({ uploads }) => uploads.pending)
}

/** True while files are uploaded, or if the text contains URLs of temporary files. */
function needsPreparation(editor: UploadingEditor): boolean {
  if (editor.textarea.matches(':disabled')) return false
  editor.surface.flush()
  return editor.uploads.pending || hasTemporaryFiles(editor)
}

/** Loads the module that uploads and submits need. */
export function loadPreparation(
  strings: EditorStrings,
): Promise<typeof import('./prepare-fields.ts')> {
  return loadPart(() => import('./prepare-fields.ts'), strings)
}

/** Loads the module early, because a deployment may replace the scripts of the page. */
export function prefetchPreparation(strings: EditorStrings): void {
  whenIdle(() => {
    loadPreparation(strings).catch(() => {}) // The next attempt reports the error.
  })
}

/** Guards the forms in one root. Events of forms do not leave a shadow root. */
class RootGuard {
  readonly editors: Set<UploadingEditor> = new Set()
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

  #editorsOf(form: EventTarget | null): UploadingEditor[] {
    return [...this.editors].filter(({ textarea }) => textarea.form === form)
  }

  #onReset(event: Event): void {
    if (!event.defaultPrevented)
      for (const { uploads } of this.#editorsOf(event.target)) uploads.cancelAll()
  }

  #onSubmit(event: SubmitEvent): void {
    const form = event.target as HTMLFormElement
    const step = this.#steps.get(form)
    const editors = this.#editorsOf(form)
    if (step === 'passing' || event.defaultPrevented || editors.length === 0) return
    if (step === undefined && !editors.some(needsPreparation)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (step === undefined) void this.#prepare(form, event.submitter)
  }

  async #prepare(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
    this.#steps.set(form, 'preparing')
    try {
      const again = (): void => submit(form, submitter)
      if (!(await prepare(() => this.#editorsOf(form), again))) return
      this.#steps.set(form, 'passing')
      submit(form, submitter)
    } finally {
      this.#steps.delete(form)
    }
  }
}
