import { createElement } from '../dom/elements.ts'

/** A labelled input in a dialog, with a hint and an error message. */
export class Field {
  readonly element: HTMLDivElement
  readonly input: HTMLInputElement
  readonly #problem: HTMLParagraphElement

  /**
   * @param id of the input
   * @param onInput is called on each change
   */
  constructor(id: string, label: string, value: string, onInput: () => void, hint: string = '') {
    this.input = createElement('input', {
      id,
      type: 'text',
      class: 'md-editor-input',
      form: '', // It is no field of the form around the editor.
      autocomplete: 'off',
      dir: 'auto',
      'aria-describedby': `${id}-hint ${id}-problem`,
    })
    this.input.value = value
    this.#problem = createElement('p', {
      id: `${id}-problem`,
      class: 'md-editor-problem',
      role: 'alert',
    })
    this.element = createElement(
      'div',
      { class: 'md-editor-field' },
      createElement('label', { for: id }, label),
      this.input,
      createElement(
        'p',
        { id: `${id}-hint`, class: 'md-editor-hint', hidden: hint === '' ? true : null },
        hint,
      ),
      this.#problem,
    )
    this.input.addEventListener('input', () => {
      this.clear()
      onInput()
    })
  }

  get value(): string {
    return this.input.value
  }

  /** Sets the attributes for an address: no capitals, no spelling, and a keyboard with a slash. */
  forAddress(): this {
    this.input.inputMode = 'url'
    this.input.spellcheck = false
    this.input.autocapitalize = 'off'
    this.input.dir = 'ltr'
    return this
  }

  /** Shows an error and focuses the input. */
  fail(problem: string): void {
    this.#problem.textContent = problem
    this.input.setAttribute('aria-invalid', 'true')
    this.input.focus()
  }

  /** Removes the error. */
  clear(): void {
    this.#problem.textContent = ''
    this.input.removeAttribute('aria-invalid')
  }
}
