import { view } from '../list/view-node.ts'
import { toElement } from './dom.ts'

/** A question in a dialog. */
export interface Question {
  readonly text: string
  /** The reason why the previous answer was rejected. */
  readonly problem?: string
  readonly yes: string
  readonly no: string
  /** The label of the password field. If it is missing, the dialog has no password field. */
  readonly password?: string
}

/**
 * Asks a question in a modal dialog inside `host`. When the dialog closes, the previously focused
 * element gets the focus again.
 *
 * @returns null for no. For yes, the password, or `''` if the dialog has no password field.
 */
export function ask(
  host: HTMLElement,
  { text, problem, yes, no, password }: Question,
): Promise<string | null> {
  const field = {
    class: 'td-input',
    type: 'password',
    required: true,
    autocomplete: 'current-password',
  }
  const dialog = toElement(
    view(
      'dialog',
      { class: 'td-dialog', 'aria-label': text },
      view(
        'form',
        { method: 'dialog' },
        view('p', {}, text),
        problem ? view('p', { class: 'td-problem', role: 'alert' }, problem) : null,
        password ? view('label', { class: 'td-label' }, password, view('input', field)) : null,
        view(
          'div',
          { class: 'td-actions' },
          // Not a submit button. Otherwise, Enter in the password field would press it.
          view('button', { class: 'td-button', type: 'button' }, no),
          view('button', { class: 'td-button td-danger', value: 'yes' }, yes),
        ),
      ),
    ),
  ) as HTMLDialogElement
  host.append(dialog)
  const input = dialog.querySelector('input')
  dialog.querySelector('[type=button]')?.addEventListener('click', () => dialog.close())
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      resolve(dialog.returnValue === 'yes' ? (input?.value ?? '') : null)
      dialog.remove()
    })
    dialog.showModal()
    input?.focus()
  })
}
