import { createButton, createElement, PART } from '../dom/elements.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { EditorContext } from './editor-context.ts'
import { drawIcon } from './icons.ts'

interface DialogParts {
  readonly name: string
  readonly title: string
  readonly content: readonly Node[]
  readonly actions?: readonly Node[]
  /** The last button, which Enter presses. Without it, a click outside closes the dialog. */
  readonly confirm?: { readonly label: string; readonly run: () => void }
}

// Events in a dialog must not reach the editor or the form.
const OWN_EVENTS = [
  ...['keydown', 'keyup', 'beforeinput', 'input', 'change', 'compositionstart', 'compositionend'],
  ...['copy', 'cut', 'paste', 'dragenter', 'dragover', 'dragleave', 'drop', 'invalid'],
]

/** Opens a modal dialog inside the editor's element, so that the theme applies. */
export function openDialog(context: EditorContext, parts: DialogParts): HTMLDialogElement {
  const { host, signal } = context
  const strings = lazyStrings(context.strings)
  const id = `${context.textarea.id}-${parts.name}`
  const dialog = createElement('dialog', {
    class: `md-editor-dialog md-editor-dialog-${parts.name}`,
    'aria-labelledby': `${id}-name`,
    closedby: parts.confirm === undefined ? 'any' : null,
    [PART]: '',
  })
  const close = createButton('', 'md-editor-button md-editor-close', () => dialog.close())
  close.setAttribute('aria-label', strings.close)
  close.append(drawIcon('M6 6l12 12M18 6L6 18'))
  const head = createElement('h2', { id: `${id}-name` }, parts.title)
  dialog.append(
    createElement('div', { class: 'md-editor-dialog-head' }, head, close),
    createElement('div', { class: 'md-editor-dialog-body' }, ...parts.content),
  )
  if (parts.confirm !== undefined) {
    const { label, run } = parts.confirm
    const buttons = createElement(
      'div',
      { class: 'md-editor-buttons' },
      createButton(strings.cancel, 'md-editor-action', () => dialog.close()),
      createButton(label, 'md-editor-action md-editor-main', run),
    )
    const foot = createElement('div', { class: 'md-editor-dialog-foot' })
    foot.append(...(parts.actions ?? []), buttons)
    dialog.append(foot)
  }
  listen(dialog, parts)
  const end = new AbortController()
  signal.addEventListener('abort', () => dialog.close(), { signal: end.signal })
  keepText(dialog, context, end.signal)
  dialog.addEventListener('close', () => {
    end.abort()
    dialog.remove()
    if (!signal.aborted && (document.activeElement ?? document.body) === document.body)
      context.surface.focus()
  })
  host.append(dialog)
  dialog.showModal()
  return dialog
}

/** Keeps the undo history and the selection of the text while a dialog is open. */
function keepText(dialog: HTMLDialogElement, context: EditorContext, signal: AbortSignal): void {
  const { target } = context.surface
  // In Chromium, all fields of a page share one history, so an undo here could change the text.
  const blockStep = (event: InputEvent): void => {
    if (dialog.open && event.inputType.startsWith('history')) event.preventDefault()
  }
  target.addEventListener('beforeinput', blockStep, { signal })
  let state = context.surface.read()
  dialog.addEventListener('beforetoggle', () => {
    state = context.surface.read()
  })
  // A browser may lose the selection when it restores the focus.
  const restore = (): void => context.surface.select(state.selectionStart, state.selectionEnd)
  target.addEventListener('focus', restore, { signal })
}

function listen(dialog: HTMLDialogElement, { confirm }: DialogParts): void {
  for (const name of OWN_EVENTS) dialog.addEventListener(name, (event) => event.stopPropagation())
  dialog.addEventListener('keydown', (event) => {
    // In Safari, the key that ends a composition is sent after the composition, with the code 229.
    const composes = event.isComposing || event.keyCode === 229
    if (event.key !== 'Enter' || composes || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault() // Prevents an implicit submit.
    confirm?.run()
  })
  // Replaces the attribute `closedby` in browsers that do not support it.
  dialog.addEventListener('mousedown', (event) => {
    if (confirm === undefined && event.target === dialog && !isInside(dialog, event)) dialog.close()
  })
}

function isInside(element: Element, { clientX: x, clientY: y }: MouseEvent): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect()
  return left <= x && x <= right && top <= y && y <= bottom
}

/** A labeled input in a dialog, with a hint and an error message. */
export class Field {
  readonly element: HTMLDivElement
  readonly input: HTMLInputElement
  readonly #problem: HTMLParagraphElement

  constructor(id: string, label: string, value: string, hint: string = '') {
    this.input = createElement('input', {
      id,
      type: 'text',
      class: 'md-editor-input',
      form: '', // The form around the editor must not contain this input.
      autocomplete: 'off',
      dir: 'auto',
      'aria-describedby': `${id}-hint ${id}-problem`,
    })
    this.input.value = value
    const problem = { id: `${id}-problem`, class: 'md-editor-problem', role: 'alert' }
    this.#problem = createElement('p', problem)
    const about = { id: `${id}-hint`, class: 'md-editor-hint', hidden: hint === '' || null }
    this.element = createElement(
      'div',
      { class: 'md-editor-field' },
      createElement('label', { for: id }, label),
      this.input,
      createElement('p', about, hint),
      this.#problem,
    )
    this.input.addEventListener('input', () => {
      this.#problem.textContent = ''
      this.input.removeAttribute('aria-invalid')
    })
  }

  get value(): string {
    return this.input.value
  }

  forAddress(): this {
    this.input.inputMode = 'url'
    this.input.spellcheck = false
    this.input.autocapitalize = 'off'
    this.input.dir = 'ltr'
    return this
  }

  /** Calls a function when the user pauses, because screen readers would speak after each key. */
  onPause(run: () => void): void {
    let timer: ReturnType<typeof setTimeout> | undefined
    this.input.addEventListener('input', () => {
      clearTimeout(timer)
      timer = setTimeout(run, 600)
    })
  }

  fail(problem: string): void {
    this.#problem.textContent = problem
    this.input.setAttribute('aria-invalid', 'true')
    this.input.focus()
  }
}
