import { formMember } from '../../dom/elements.ts'

/** A field that is under another surface, as its form sees it. */
export interface FormField {
  /** The current value of the field. */
  readonly value: string
  /** Brings the field up to date, with an `input` event when it was not. */
  flush(): void
  /** Updates the field without an event. */
  write(): void
  /** Takes over what a script has written into the field. */
  takeOver(): void
}

/** Updates a covered field before its form or another listener reads it. */
export function listenToForm(
  textarea: HTMLTextAreaElement,
  field: FormField,
  signal: AbortSignal,
): void {
  const options = { capture: true, signal }
  const root = textarea.getRootNode()
  const flush = (): void => field.flush()
  const onForm = (type: string, act: (event: Event) => void): void => {
    root.addEventListener(type, (event) => event.target === textarea.form && act(event), options)
  }
  onForm('submit', flush)
  onForm('formdata', (event) => complete((event as FormDataEvent).formData, textarea, field))
  onForm('reset', () => {
    field.write()
    setTimeout(() => field.takeOver())
  })
  window.addEventListener('pagehide', flush, options)
  document.addEventListener('visibilitychange', flush, options)
}

/** The browser has read the field's value before. */
function complete(formData: FormData, textarea: HTMLTextAreaElement, field: FormField): void {
  const { name } = textarea
  const old = field.value
  const place = placeOf(textarea)
  field.flush()
  const values = formData.getAll(name)
  const index = values[place] === old ? place : values.indexOf(old)
  if (index < 0 || field.value === old) return
  const entries = [...formData]
  for (const key of new Set(formData.keys())) formData.delete(key)
  let count = 0
  // Appends all entries again, because a new entry is always the last.
  for (const [key, value] of entries)
    formData.append(key, key === name && count++ === index ? field.value : value)
}

/** How many entries fields of the same name make before this one. */
function placeOf(textarea: HTMLTextAreaElement): number {
  const { form, name } = textarea
  const fields = form === null ? [] : [...formMember(form, 'elements')]
  const before = fields
    .slice(0, fields.indexOf(textarea))
    .filter((field) => field.getAttribute('name') === name)
  return before.reduce((count, field) => count + countEntries(field), 0)
}

function countEntries(field: Element): number {
  if (field.matches(':disabled, datalist *')) return 0
  if (field instanceof HTMLTextAreaElement) return 1
  if (field instanceof HTMLSelectElement) {
    return [...field.selectedOptions].filter((option) => !option.matches(':disabled')).length
  }
  if (!(field instanceof HTMLInputElement) || /^(?:button|image|reset|submit)$/.test(field.type))
    return 0
  if (/^(?:checkbox|radio)$/.test(field.type)) return field.checked ? 1 : 0
  return Math.max(1, field.files?.length ?? 0)
}
