import { createButton, createElement } from '../dom/elements.ts'

/** A button of a message: it takes the message away. */
interface NoticeAction {
  readonly label: string
  readonly run: () => void
}

/** One message at the foot of the editor, and a voice for screen readers. */
export class Notice {
  /** What everybody sees. */
  readonly element: HTMLDivElement = createElement('div', {
    class: 'md-editor-notice',
    hidden: true,
  })
  /** What screen readers say. */
  readonly voice: HTMLDivElement = createElement('div', {
    class: 'md-editor-voice',
    role: 'status',
  })

  /** Shows a progress message with buttons. */
  show(message: string, ...actions: readonly NoticeAction[]): void {
    this.#fill('md-editor-notice', message, actions)
  }

  /** Shows an error with buttons; null buttons are left out. */
  fail(message: string, ...actions: readonly (NoticeAction | null)[]): void {
    const given = actions.filter((action) => action !== null)
    this.#fill('md-editor-notice md-editor-error', message, given)
  }

  /** Takes the message away. */
  clear(): void {
    this.element.hidden = true
    this.element.replaceChildren()
  }

  /** Says something to screen readers only. */
  say(message: string): void {
    this.voice.textContent = message
  }

  #button(label: string, run: () => void): HTMLButtonElement {
    return createButton(label, 'md-editor-action', () => {
      this.clear()
      run()
    })
  }

  #fill(className: string, message: string, actions: readonly NoticeAction[]): void {
    const buttons = actions.map(({ label, run }) => this.#button(label, run))
    this.element.className = className
    this.element.replaceChildren(createElement('span', {}, message), ...buttons)
    this.element.hidden = false
    this.say(message)
  }
}
