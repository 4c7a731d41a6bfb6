/** A field that is under another surface, as its form sees it. */
export interface FormField {
  /** What the field has at the moment. */
  readonly value: string
  /** Brings the field up to date, with an `input` event when it was not. */
  flush(): void
  /** Brings the field up to date, and tells nobody. */
  write(): void
  /** Takes over what a script has written into the field. */
  takeOver(): void
  focus(): void
}

// A click on one of these in a label is not for the label's field.
const CLICKED = 'label, a, button, input, select, summary, textarea, [contenteditable]'

/** Brings a covered field up to date before its form, or anybody who looks after it, reads it. */
export function listenToForm(textarea: HTMLTextAreaElement, field: FormField, signal: AbortSignal): void {
  const options = { capture: true, signal }
  const root = textarea.getRootNode()
  const flush = (): void => field.flush()
  const onForm = (type: string, act: (event: Event) => void): void => {
    root.addEventListener(type, (event) => event.target === textarea.form && act(event), options)
  }
  onForm('submit', flush)
  onForm('formdata', (event) => complete((event as FormDataEvent).formData, textarea.name, field))
  onForm('reset', () => {
    field.write()
    setTimeout(() => field.takeOver())
  })
  root.addEventListener(
    'click',
    (event) => {
      if (!isForField(event, textarea)) return
      event.preventDefault()
      field.focus()
    },
    { signal },
  )
  window.addEventListener('pagehide', flush, options)
  document.addEventListener('visibilitychange', flush, options)
}

/** The browser has read the field's value before. */
function complete(formData: FormData, name: string, field: FormField): void {
  const old = field.value
  field.flush()
  const values = formData.getAll(name)
  const index = values.indexOf(old)
  if (index < 0 || field.value === old) return
  formData.delete(name)
  for (const value of values.with(index, field.value)) formData.append(name, value)
}

/** True for a click on a label of the field: the focus that it would give to the field would lay out its text. */
function isForField(event: Event, textarea: HTMLTextAreaElement): boolean {
  const nearest = event.target instanceof Element ? event.target.closest(CLICKED) : null
  return nearest instanceof HTMLLabelElement && nearest.control === textarea && !event.defaultPrevented
}
