import { formMember, writeValue } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { type DraftValue, isSame } from './draft.ts'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

// Not passwords, hidden fields and files, whose values must not be stored.
const TYPES = new Set(
  'text search url tel email number date month week time datetime-local textarea select-one'.split(
    ' ',
  ),
)

/** The other fields of the form that drafts keep: those that `draft-fields` names. */
export class FormFields {
  readonly #context: EditorContext
  readonly #names: ReadonlySet<string>
  readonly #draft: string
  // The server's values by name.
  #bases: ReadonlyMap<string, string>
  #values: readonly DraftValue[] = []

  constructor(context: EditorContext) {
    this.#context = context
    this.#names = new Set(context.attribute('draft-fields').match(/\S+/g))
    this.#draft = this.#draftNow
    this.#bases = new Map([...this.#controls].map(([name, each]) => [name, defaultOf(each)]))
  }

  /** True when the element has another draft now: the form may have the next record already. */
  get isRenamed(): boolean {
    return this.#draft !== this.#draftNow
  }

  /** The values in the form; when the element is renamed, those that were read last. */
  read(): readonly DraftValue[] {
    if (this.isRenamed) return this.#values
    this.#values = [...this.#controls].map(([name, { value }]) => {
      return { name, value, base: this.#bases.get(name) ?? '' }
    })
    return this.#values
  }

  /** Notes that the server has the values in the form. */
  settle(): void {
    this.#bases = new Map(this.read().map(({ name, value }) => [name, value]))
  }

  /** Puts values into the form. Returns those whose field has changed since, and stays so. */
  restore(values: readonly DraftValue[]): DraftValue[] {
    const controls = this.#controls
    return values.filter(({ name, value, base }) => {
      const control = controls.get(name)
      if (control === undefined || isSame(control.value, value)) return false
      if (!isSame(control.value, base)) return true
      if (control instanceof HTMLSelectElement && !hasOption(control, value)) return false
      writeValue(control, value)
      for (const type of ['input', 'change'])
        control.dispatchEvent(new Event(type, { bubbles: true }))
      return false
    })
  }

  /** Calls a listener when the user has changed one of the fields, until the editor ends. */
  onChange(listener: () => void): void {
    const { signal, textarea } = this.#context
    const changed = ({ target }: Event): void => {
      if (target === textarea || ![...this.#controls.values()].some((each) => each === target))
        return
      this.read()
      listener()
    }
    if (this.#names.size > 0) textarea.getRootNode().addEventListener('input', changed, { signal })
  }

  /** The first field of each name. */
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
      TYPES.has((element as Control).type) &&
      // A password is of the type `text` while it is shown.
      !/password|cc-|one-time-code/.test((element as Control).autocomplete) &&
      !element.matches(':disabled, [readonly]')
    )
  }

  get #draftNow(): string {
    return `${this.#context.attribute('draft')} ${this.#context.attribute('draft-user')}`
  }
}

function hasOption({ options }: HTMLSelectElement, wanted: string): boolean {
  return [...options].some(({ value }) => value === wanted)
}

function defaultOf(control: Control): string {
  if (!(control instanceof HTMLSelectElement)) return control.defaultValue
  const options = [...control.options]
  return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value ?? ''
}
