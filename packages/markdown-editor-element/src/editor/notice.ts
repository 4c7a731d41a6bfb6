import { createButton, createElement } from '../dom/elements.ts'

/** A button of a message. In a {@link Notice}, pressing the button also removes the message. */
export interface NoticeAction {
  readonly label: string
  readonly run: () => void
}

/** The message at the foot of the editor, and a live region for screen readers. */
export class Notice {
  readonly element: HTMLDivElement = createElement('div', {
    class: 'md-editor-notice',
    hidden: true,
  })
  readonly liveRegion: HTMLDivElement = createElement('div', {
    class: 'md-editor-live',
    role: 'status',
  })
  readonly #dismiss: NoticeAction

  /** @param dismiss the default button of errors; its `run` moves the focus */
  constructor(dismiss: NoticeAction) {
    this.#dismiss = dismiss
  }

  show(message: string, ...actions: readonly NoticeAction[]): void {
    this.#fill('md-editor-notice', message, actions)
  }

  /** Shows an error with the given buttons, or else with a "Dismiss" button. Ignores null. */
  fail(message: string, ...actions: readonly (NoticeAction | null)[]): void {
    const given = actions.filter((action) => action !== null)
    if (given.length === 0) given.push(this.#dismiss)
    this.#fill('md-editor-notice md-editor-error', message, given)
  }

  clear(): void {
    this.element.hidden = true
    this.element.replaceChildren()
  }

  say(message: string): void {
    this.liveRegion.textContent = message
  }

  #fill(className: string, message: string, actions: readonly NoticeAction[]): void {
    const buttons = actions.map(({ label, run }) =>
      createButton(label, 'md-editor-action', () => {
        this.clear()
        run()
      }),
    )
    this.element.className = className
    this.element.replaceChildren(createElement('span', {}, message), ...buttons)
    this.element.hidden = false
    this.say(message)
  }
}

const SLOTS = ['draft', 'selection', 'words', 'characters'] as const

type StatusSlot = (typeof SLOTS)[number]

/** The status line. Screen readers can read it, but do not announce its changes. */
export class StatusLine {
  readonly element: HTMLDivElement = createElement('div', { class: 'md-editor-status' })
  readonly #slots = new Map(SLOTS.map((slot) => [slot, document.createTextNode('')]))

  constructor() {
    for (const text of this.#slots.values()) this.element.append(createElement('span', {}, text))
  }

  set(slot: StatusSlot, text: string, isWarning = false): void {
    const node = this.#slots.get(slot)
    if (!node?.parentElement || node.data === text) return
    // Keeps the node, because Chromium ends the undo step of typing when any node is removed.
    node.data = text
    node.parentElement.className = isWarning ? 'md-editor-error' : ''
  }
}
