import { formMember } from '../dom/form-member.ts'

/**
 * Holds the form of a field back whose editor is not there yet: when it is, the form is sent, and the editor sees to it.
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

/** Sends a form as a press of its button does; a button that is gone meanwhile is left out. */
export function submit(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const present = submitter !== null && 'form' in submitter && submitter.form === form
  formMember(form, 'requestSubmit').call(form, present ? submitter : null)
}
