import { MODES, type Mode } from '../contract/attributes.ts'
import { createElement, hasFocus } from '../dom/elements.ts'
import { arrowsAlong, itemByKey } from '../dom/key-press.ts'
import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { loadPart } from '../i18n/load-part.ts'
import { showFailure, showHint } from './failure.ts'
import type { PreviewPane } from './preview-pane.ts'

/** Switches the view with tabs (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/). */
export class Modes {
  readonly tabList: HTMLDivElement
  readonly pane: HTMLDivElement
  readonly #context: EditorContext
  readonly #tabs = new Map<Mode, HTMLButtonElement>()
  #mode: Mode = 'write'
  #preview: Promise<PreviewPane | null> | null = null

  constructor(context: EditorContext) {
    this.#context = context
    const { host, textarea, signal } = context
    const id = `${textarea.id}-preview`
    this.pane = createElement('div', {
      id,
      class: 'md-editor-preview md-content',
      role: 'tabpanel',
      tabindex: '0',
      'aria-labelledby': `${id}-tab-preview`,
    })
    this.tabList = this.#createTabs(id)
    this.#mark()
    host.setAttribute('data-mode', 'write')
    signal.addEventListener('abort', () => host.removeAttribute('data-mode'))
    // Shows the field, because browsers cannot show a validation message on a hidden field.
    textarea.addEventListener('invalid', () => this.showText(), { signal })
    // The printed page shows the textarea, even if the editor uses another surface.
    window.addEventListener('beforeprint', () => context.surface.flush(), { signal })
    const observer = new ResizeObserver(() => {
      // Shows only the text if the style sheet hides the tab of the current mode.
      if (!this.#shown().includes(this.#mode)) this.select('write')
    })
    observer.observe(host)
    signal.addEventListener('abort', () => observer.disconnect())
  }

  showText(): void {
    if (this.#mode === 'preview') this.select('write')
  }

  select(mode: Mode): void {
    if (mode === this.#mode) return
    this.#mode = mode
    this.#mark()
    this.#show(mode)
  }

  /** Selects the next mode, as the shortcut does, and announces it. */
  selectNext(): void {
    const { notice, strings, surface } = this.#context
    const isInside = surface.focused || hasFocus(this.pane)
    const modes = this.#shown()
    this.select(modes[(modes.indexOf(this.#mode) + 1) % modes.length] ?? 'write')
    // Screen readers announce the tab that has received the focus.
    if (hasFocus(this.tabList)) return
    // Moves the focus, because the preview hides the text and the buttons.
    if (this.#mode === 'preview') this.pane.focus()
    else if (isInside) surface.focus({ preventScroll: true })
    notice.say(strings[this.#mode])
  }

  /** @param pane the id of the preview's element */
  #createTabs(pane: string): HTMLDivElement {
    const { strings, textarea } = this.#context
    const panels: Readonly<Record<Mode, string>> = {
      write: textarea.id,
      split: `${textarea.id} ${pane}`,
      preview: pane,
    }
    for (const mode of MODES) {
      const attributes = {
        type: 'button',
        class: 'md-editor-tab',
        role: 'tab',
        id: `${pane}-tab-${mode}`,
        'aria-controls': panels[mode],
      }
      const tab = createElement('button', attributes, strings[mode])
      tab.addEventListener('click', () => this.select(mode))
      this.#tabs.set(mode, tab)
    }
    const attributes = { class: 'md-editor-tabs', role: 'tablist', 'aria-label': strings.tabs }
    const list = createElement('div', attributes, ...this.#tabs.values())
    list.addEventListener('keydown', (event) => {
      const next = itemByKey(event, this.#shown(), this.#mode, arrowsAlong(list))
      if (next !== undefined) this.select(next)
    })
    return list
  }

  /** Returns the modes whose tabs the style sheet shows. */
  #shown(): readonly Mode[] {
    const shown = [...this.#tabs].filter(([, tab]) => getComputedStyle(tab).display !== 'none')
    return shown.map(([mode]) => mode)
  }

  #mark(): void {
    for (const [mode, tab] of this.#tabs) {
      const selected = mode === this.#mode
      tab.setAttribute('aria-selected', String(selected))
      tab.tabIndex = selected ? 0 : -1
      if (selected && hasFocus(this.tabList)) tab.focus()
    }
  }

  #show(mode: Mode): void {
    const { host, surface } = this.#context
    // Loading reads a style. After the switch, this would lay out the whole text at once.
    if (mode !== 'write') this.#preview ??= this.#load()
    const height = host.offsetHeight
    // Keeps the height of the editor, so that the page does not move. The first room is too high.
    this.#setRoom(height)
    host.setAttribute('data-mode', mode)
    if (mode === 'preview') this.#setRoom(height - host.offsetHeight + this.pane.offsetHeight)
    // The field has become narrower, which moves the lines.
    if (mode === 'split' && host.matches(':focus-within')) void surface.reveal()
    void this.#preview?.then((preview) => preview?.show(this.#mode))
  }

  #setRoom(height: number): void {
    this.pane.style.setProperty('--_room', `${height}px`)
  }

  /** Loads the preview. Returns null if loading failed or the editor has stopped. */
  async #load(): Promise<PreviewPane | null> {
    const { host, signal, strings } = this.#context
    showHint(this.pane, strings.loadingPreview)
    try {
      const [{ PreviewPane }] = await Promise.all([
        loadPart(() => import('./preview-pane.ts'), strings),
        loadStyles(host, 'preview'),
      ])
      return signal.aborted ? null : new PreviewPane(this.#context, this.pane)
    } catch (error) {
      this.#preview = null
      showFailure(this.pane, error, strings, () => this.#show(this.#mode))
      return null
    }
  }
}
