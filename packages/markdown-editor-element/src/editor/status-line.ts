import { createElement } from '../dom/elements.ts'

const SLOTS = ['draft', 'selection', 'words', 'characters'] as const

/** A place in the status line. */
type StatusSlot = (typeof SLOTS)[number]

/**
 * The line at the foot of an editor with facts about the text. Screen readers can read it, but it
 * is not announced.
 */
export class StatusLine {
  readonly element: HTMLDivElement = createElement('div', { class: 'md-editor-status' })
  readonly #slots = new Map(SLOTS.map((slot) => [slot, createElement('span')]))

  constructor() {
    this.element.append(...this.#slots.values())
  }

  /**
   * Shows a text in a slot.
   *
   * @param text `''` empties the slot
   * @param isWarning true if the user should act on it
   */
  set(slot: StatusSlot, text: string, isWarning = false): void {
    const element = this.#slots.get(slot)
    if (element === undefined || element.textContent === text) return
    element.textContent = text
    element.className = isWarning ? 'md-editor-error' : ''
  }
}
