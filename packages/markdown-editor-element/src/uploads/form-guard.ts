import { formMember } from '../dom/elements.ts'
import { messageOf } from '../i18n/load-part.ts'
import { needsPreparation } from './needs-preparation.ts'
import { loadPreparation, type UploadingEditor } from './uploads.ts'

/** Delays a submit until the editor has started, so that the editor handles the submit. */
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

/** Submits a form, without the submitter if this button is no longer in the form. */
function submit(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const present = submitter !== null && 'form' in submitter && submitter.form === form
  formMember(form, 'requestSubmit').call(form, present ? submitter : null)
}

const editors = new Set<UploadingEditor>()

const editorsOf = (form: EventTarget | null): UploadingEditor[] =>
  [...editors].filter(({ textarea }) => textarea.form === form)

/** Delays submits until all editors of the form are ready. A textarea can move to another form. */
export function guardForm(editor: UploadingEditor): void {
  const { signal, textarea, uploads } = editor
  editors.add(editor)
  signal.addEventListener('abort', () => editors.delete(editor))
  // Listens on the root, because the events of forms do not leave a shadow root.
  const root = textarea.getRootNode()
  // Runs before the listeners of the page and its libraries. They then get the submit only once,
  // with the finished text, and can still prevent the submit.
  root.addEventListener('submit', (event) => onSubmit(event as SubmitEvent), {
    capture: true,
    signal,
  })
  const reset = (event: Event): void => {
    if (!event.defaultPrevented && event.target === textarea.form) uploads.cancelAll()
  }
  root.addEventListener('reset', reset, { signal })
}

const steps = new WeakMap<HTMLFormElement, 'preparing' | 'passing'>()

function onSubmit(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement
  const step = steps.get(form)
  const own = editorsOf(form)
  if (step === 'passing' || event.defaultPrevented || own.length === 0) return
  if (step === undefined && !own.some(needsPreparation)) return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (step === undefined) void prepareForm(form, event.submitter)
}

async function prepareForm(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  steps.set(form, 'preparing')
  try {
    const again = (): void => submit(form, submitter)
    if (!(await prepare(() => editorsOf(form), again))) return
    steps.set(form, 'passing')
    submit(form, submitter)
  } finally {
    steps.delete(form)
  }
}

/**
 * Waits for uploads and makes temporary files permanent. Returns whether the texts can be sent.
 *
 * @param again called when the user retries, or decides to send the form without the files
 */
export async function prepare(
  editors: () => readonly UploadingEditor[],
  again: () => void,
): Promise<boolean> {
  const open = editors().filter(needsPreparation)
  const [first] = open
  if (first === undefined) return true
  for (const { uploads } of editors()) uploads.forgetRefusals()
  const { notice, strings } = first
  try {
    const { prepareFields } = await loadPreparation(strings)
    return await prepareFields(open, editors, again)
  } catch (error) {
    notice.fail(messageOf(error), { label: strings.retry, run: again })
    return false
  }
}
