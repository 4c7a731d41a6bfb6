import { formMember, writeValue } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { type DraftValue, isSame } from './draft.ts'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

// Values of passwords, hidden fields and files must not be stored. An `<object>` has no value.
const TYPES =
  /^(text(area)?|search|url|tel|email|number|date(time-local)?|month|week|time|select-one)$/

/** The other form fields whose values drafts keep. The attribute `draft-fields` lists them. */
export class FormFields {
  readonly #context: EditorContext
  readonly #names: ReadonlySet<string>
  // The server's values by name.
  #bases: ReadonlyMap<string, string>

  constructor(context: EditorContext) {
    this.#context = context
    this.#names = new Set(context.attribute('draft-fields').match(/\S+/g))
    this.#bases = new Map([...this.#controls].map(([name, each]) => [name, defaultOf(each)]))
  }

  read(): readonly DraftValue[] {
    return [...this.#controls].map(([name, { value }]) => {
      return { name, value, base: this.#bases.get(name) ?? '' }
    })
  }

  markSaved(): void {
    this.#bases = new Map(this.read().map(({ name, value }) => [name, value]))
  }

  /** Restores values. Returns the values whose field was changed. Such a field keeps its value. */
  restore(values: readonly DraftValue[]): DraftValue[] {
    const controls = this.#controls
    return values.filter(({ name, value, base }) => {
      const control = controls.get(name)
      if (control === undefined || isSame(control.value, value)) return false
      if (!isSame(control.value, base)) return true
      const options = control instanceof HTMLSelectElement ? [...control.options] : null
      if (options?.some((option) => option.value === value) === false) return false
      writeValue(control, value)
      for (const type of ['input', 'change'])
        control.dispatchEvent(new Event(type, { bubbles: true }))
      return false
    })
  }

  has(target: EventTarget | null): boolean {
    return this.#names.size > 0 && [...this.#controls.values()].some((each) => each === target)
  }

  get #controls(): Map<string, Control> {
    const { form } = this.#context.textarea
    const controls = new Map<string, Control>()
    for (const each of form === null ? [] : formMember(form, 'elements')) {
      const { name } = each as Control
      if (this.#names.has(name) && !controls.has(name) && this.#isKept(each))
        controls.set(name, each)
    }
    return controls
  }

  #isKept(element: Element): element is Control {
    return (
      element !== this.#context.textarea &&
      TYPES.test((element as Control).type) &&
      // The type of a visible password is `text`, so this checks the attribute `autocomplete`.
      !/password|cc-|one-time-code/.test((element as Control).autocomplete) &&
      !element.matches(':disabled, [readonly]')
    )
  }
}

function defaultOf(control: Control): string {
  if (!(control instanceof HTMLSelectElement)) return control.defaultValue
  const options = [...control.options]
  return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value ?? ''
}
