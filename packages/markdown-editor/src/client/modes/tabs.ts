import { createElement } from '../dom/elements.ts'
import type { EditorStrings } from '../strings/strings.ts'

/** What an editor shows. */
export type Mode = 'write' | 'preview'

const MODES: readonly Mode[] = ['write', 'preview']

/** The two tabs, by the pattern of https://www.w3.org/WAI/ARIA/apg/patterns/tabs/. */
export class Tabs {
  readonly element: HTMLDivElement
  readonly #tabs: Readonly<Record<Mode, HTMLButtonElement>>
  readonly #onSelect: (mode: Mode) => void
  #mode: Mode = 'write'

  /**
   * @param panels the id of what each tab shows
   * @param onSelect hears of each change
   */
  constructor(panels: Readonly<Record<Mode, string>>, strings: EditorStrings, onSelect: (mode: Mode) => void) {
    this.#onSelect = onSelect
    this.#tabs = {
      write: createTab('write', panels.write, strings),
      preview: createTab('preview', panels.preview, strings),
    }
    this.element = createElement('div', { class: 'md-editor-tabs', role: 'tablist', 'aria-label': strings.tabs })
    this.element.append(this.#tabs.write, this.#tabs.preview)
    this.#mark()
    for (const mode of MODES) {
      this.#tabs[mode].addEventListener('click', () => this.select(mode))
    }
    this.element.addEventListener('keydown', (event) => {
      const other: Mode = this.#mode === 'write' ? 'preview' : 'write'
      const next = { ArrowLeft: other, ArrowRight: other, Home: 'write', End: 'preview' }[event.key] as Mode | undefined
      if (next === undefined) return
      event.preventDefault()
      this.select(next)
      this.#tabs[next].focus()
    })
  }

  /** Changes the selected tab. */
  select(mode: Mode): void {
    if (mode === this.#mode) return
    this.#mode = mode
    this.#mark()
    this.#onSelect(mode)
  }

  #mark(): void {
    for (const mode of MODES) {
      this.#tabs[mode].setAttribute('aria-selected', String(mode === this.#mode))
      this.#tabs[mode].tabIndex = mode === this.#mode ? 0 : -1
    }
  }
}

function createTab(mode: Mode, panel: string, strings: EditorStrings): HTMLButtonElement {
  return createElement(
    'button',
    { type: 'button', class: 'md-editor-tab', role: 'tab', id: `${panel}-tab-${mode}`, 'aria-controls': panel },
    strings[mode],
  )
}
