import { createButton, createElement } from '../dom/elements.ts'
import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor/editor-context.ts'

/** A button of the bar. */
interface BarAction {
  readonly label: string
  readonly run: () => void
}

/** The row in the head of an editor that offers drafts. */
export class DraftBar {
  readonly #context: EditorContext
  readonly #element = createElement('div', { class: 'md-editor-drafts', role: 'group' })
  #shown = false

  constructor(context: EditorContext) {
    this.#context = context
    context.signal.addEventListener('abort', () => this.hide())
  }

  /** Shows a message with buttons and announces it. A focused button hands its focus on. */
  show(message: string, actions: readonly BarAction[], quiet = false): void {
    const bar = this.#element
    const hadFocus = bar.contains(document.activeElement)
    const buttons = actions.map(({ label, run }) => createButton(label, 'md-editor-action', run))
    bar.classList.toggle('md-editor-quiet', quiet)
    bar.setAttribute('aria-label', message)
    bar.replaceChildren(createElement('span', {}, message), ...buttons)
    this.#shown = true
    void this.#place()
    this.#context.notice.say(message)
    if (hadFocus) buttons[0]?.focus()
  }

  hide(): void {
    const hadFocus = this.#element.contains(document.activeElement)
    this.#shown = false
    this.#element.remove()
    if (hadFocus && !this.#context.signal.aborted) this.#context.surface.focus()
  }

  async #place(): Promise<void> {
    const { host } = this.#context
    if (this.#element.isConnected) return
    await loadStyles(host, 'drafts')
    if (this.#shown) host.querySelector(':scope > .md-editor-header')?.append(this.#element)
  }
}

/** A time as it is written in the language of an element; with the day when it is not today. */
export function formatTime(time: number, element: HTMLElement, now: number = Date.now()): string {
  const date = new Date(time)
  const today = date.toDateString() === new Date(now).toDateString()
  const options: Intl.DateTimeFormatOptions = {
    timeStyle: 'short',
    ...(today ? {} : { dateStyle: 'medium' }),
  }
  const language = element.getAttribute('locale') || element.closest<HTMLElement>('[lang]')?.lang
  try {
    return date.toLocaleString(language || undefined, options)
  } catch {
    return date.toLocaleString(undefined, options) // Not a language tag.
  }
}
