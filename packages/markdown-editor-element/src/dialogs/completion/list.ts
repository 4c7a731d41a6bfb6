import { createElement, PART } from '../../dom/elements.ts'
import { placeAt } from '../place.ts'
import type { CompletionItem } from './provider.ts'

let count = 0

/** A listbox (https://www.w3.org/WAI/ARIA/apg/patterns/listbox/). The focus stays in the text. */
export class CompletionList {
  readonly element: HTMLUListElement
  active = -1

  constructor(label: string, onChoose: (index: number) => void) {
    this.element = createElement('ul', {
      class: 'md-editor-completion',
      role: 'listbox',
      id: `md-editor-completion-${++count}`,
      'aria-label': label,
      popover: 'manual',
      [PART]: '',
    })
    // Keeps the focus in the text.
    this.element.addEventListener('mousedown', (event) => event.preventDefault())
    this.element.addEventListener('click', ({ target }) => {
      const option = (target as Element).closest('[role=option]')
      const index = [...this.element.children].indexOf(option as Element)
      if (index !== -1) onChoose(index)
    })
  }

  get isOpen(): boolean {
    return this.element.matches(':popover-open')
  }

  get activeId(): string {
    return `${this.element.id}-${this.active}`
  }

  show(items: readonly CompletionItem[]): void {
    this.element.replaceChildren(
      ...items.map((item, index) => createOption(`${this.element.id}-${index}`, item)),
    )
    if (!this.isOpen) this.element.showPopover()
    this.move(0)
  }

  /** Activates an option. Continues at the other end after the last and before the first one. */
  move(to: number): void {
    const { children } = this.element
    this.active = (to + children.length) % children.length
    for (const [index, option] of [...children].entries()) {
      option.setAttribute('aria-selected', String(index === this.active))
    }
    children[this.active]?.scrollIntoView({ block: 'nearest' })
  }

  hide(): void {
    if (this.isOpen) this.element.hidePopover()
    this.element.replaceChildren()
  }

  place(word: DOMRect, host: HTMLElement): void {
    const { left, top } = placeAt(word, this.element, host)
    this.element.style.setProperty('inset', `${top}px auto auto ${left}px`)
  }
}

function createOption(id: string, { icon, label, detail }: CompletionItem): HTMLLIElement {
  const option = createElement('li', { role: 'option', id, 'aria-selected': 'false' })
  if (icon !== undefined)
    option.append(createElement('span', { 'aria-hidden': 'true' }, String(icon)))
  option.append(createElement('span', { dir: 'auto' }, String(label)))
  if (detail !== undefined) option.append(createElement('small', { dir: 'auto' }, String(detail)))
  return option
}
