import { createButton, createElement } from '../dom/elements.ts'

/** One message at the foot of the editor, and a voice for screen readers. */
export class Notice {
  /** What everybody sees. */
  readonly element: HTMLDivElement = createElement('div', { class: 'md-editor-notice', hidden: true })
  /** What screen readers say. */
  readonly voice: HTMLDivElement = createElement('div', { class: 'md-editor-voice', role: 'status' })

  /** Shows a message while something goes on. */
  show(message: string): void {
    this.#fill('md-editor-notice', message)
    this.say(message)
  }

  /** Shows what went wrong, and a button that tries to mend it if there is something to try. */
  fail(message: string, action: { label: string; run: () => void } | null): void {
    const buttons = action === null ? [] : [this.#button(action.label, action.run)]
    this.#fill('md-editor-notice md-editor-error', message, ...buttons)
    this.say(message)
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

  #fill(className: string, message: string, ...more: readonly Node[]): void {
    this.element.className = className
    this.element.replaceChildren(createElement('span', {}, message), ...more)
    this.element.hidden = false
  }
}
