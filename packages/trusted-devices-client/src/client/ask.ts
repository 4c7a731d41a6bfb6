import { view } from '../list/view-node.ts'
import { toElement } from './dom.ts'

/** A question in a dialog. */
export interface Question {
  readonly text: string
  /** What went wrong with the answer before. */
  readonly problem?: string
  readonly yes: string
  readonly no: string
  /** Label of a password field, when one is asked for. */
  readonly password?: string
}

let dialogs = 0

/**
 * Asks in a modal dialog inside `host`; the focus returns to where it was.
 *
 * @returns the password, or `''` for a yes without one; null for a no
 */
export function ask(
  host: HTMLElement,
  { text, problem, yes, no, password }: Question,
): Promise<string | null> {
  const id = `td-question-${++dialogs}`
  const field = {
    class: 'td-input',
    type: 'password',
    required: true,
    autocomplete: 'current-password',
  }
  const dialog = toElement(
    view(
      'dialog',
      { class: 'td-dialog', 'aria-labelledby': id },
      view(
        'form',
        { method: 'dialog' },
        view('p', { id }, text),
        problem ? view('p', { class: 'td-problem', role: 'alert' }, problem) : null,
        password ? view('label', { class: 'td-label' }, password, view('input', field)) : null,
        view(
          'div',
          { class: 'td-actions' },
          view('button', { class: 'td-button', value: 'no', formnovalidate: true }, no),
          view('button', { class: 'td-button td-danger', value: 'yes' }, yes),
        ),
      ),
    ),
  ) as HTMLDialogElement
  host.append(dialog)
  // Enter in the field presses the first button of a form: that is the no.
  dialog.querySelector('input')?.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    dialog.querySelector<HTMLButtonElement>('[value=yes]')?.click()
  })
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      resolve(dialog.returnValue === 'yes' ? (dialog.querySelector('input')?.value ?? '') : null)
      dialog.remove()
    })
    dialog.showModal()
    dialog.querySelector('input')?.focus()
  })
}
