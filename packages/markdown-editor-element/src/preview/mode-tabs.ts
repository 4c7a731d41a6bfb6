import { MODES, type Mode } from '../contract/attributes.ts'
import { createElement } from '../dom/elements.ts'
import type { EditorStrings } from '../i18n/strings.ts'

/** The tabs, by the pattern of https://www.w3.org/WAI/ARIA/apg/patterns/tabs/. */
export class Tabs {
  readonly element: HTMLDivElement
  readonly #tabs: readonly HTMLButtonElement[]
  readonly #onSelect: (mode: Mode) => void
  #mode: Mode = 'write'

  /**
   * @param text the id of the writing area
   * @param pane the id of the preview
   */
  constructor(text: string, pane: string, strings: EditorStrings, onSelect: (mode: Mode) => void) {
    this.#onSelect = onSelect
    const panels: Readonly<Record<Mode, string>> = {
      write: text,
      split: `${text} ${pane}`,
      preview: pane,
    }
    this.#tabs = MODES.map((mode) => createTab(mode, `${pane}-tab-${mode}`, panels[mode], strings))
    this.element = createElement(
      'div',
      { class: 'md-editor-tabs', role: 'tablist', 'aria-label': strings.tabs },
      ...this.#tabs,
    )
    this.#mark()
    for (const [index, tab] of this.#tabs.entries())
      tab.addEventListener('click', () => this.#selectAt(index))
    this.element.addEventListener('keydown', (event) => this.#onKey(event))
  }

  /** The selected one. */
  get mode(): Mode {
    return this.#mode
  }

  /** Changes the selected tab. */
  select(mode: Mode): void {
    if (mode === this.#mode) return
    this.#mode = mode
    this.#mark()
    this.#onSelect(mode)
  }

  /** Selects the next tab, after the last one the first. */
  cycle(): void {
    this.#selectAt(MODES.indexOf(this.#mode) + 1)
  }

  #selectAt(index: number): void {
    this.select(MODES.at(index % MODES.length) ?? 'write')
  }

  #onKey(event: KeyboardEvent): void {
    const current = MODES.indexOf(this.#mode)
    const step = this.element.matches(':dir(rtl)') ? -1 : 1
    const places = new Map([
      ['ArrowLeft', current - step],
      ['ArrowRight', current + step],
      ['Home', 0],
      ['End', -1],
    ])
    const next = places.get(event.key)
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    this.#selectAt(next)
    this.#tabs[MODES.indexOf(this.#mode)]?.focus()
  }

  #mark(): void {
    for (const [index, tab] of this.#tabs.entries()) {
      const selected = MODES[index] === this.#mode
      tab.setAttribute('aria-selected', String(selected))
      tab.tabIndex = selected ? 0 : -1
    }
  }
}

function createTab(
  mode: Mode,
  id: string,
  panels: string,
  strings: EditorStrings,
): HTMLButtonElement {
  return createElement(
    'button',
    { type: 'button', class: 'md-editor-tab', role: 'tab', id, 'aria-controls': panels },
    strings[mode],
  )
}
