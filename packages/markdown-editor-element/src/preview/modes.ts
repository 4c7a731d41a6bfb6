import { MODES, type Mode } from '../contract/attributes.ts'
import { createElement } from '../dom/elements.ts'
import { arrowsAlong, itemByKey } from '../dom/key-press.ts'
import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { loadPart } from '../i18n/load-part.ts'
import { shortcutOf } from '../toolbar/shortcuts.ts'
import { showFailure, showHint } from './failure.ts'
import type { PreviewPane } from './preview-pane.ts'

/** Switches the view. The style sheet hides the other parts by the host's `data-mode`. */
export class Modes {
  readonly tabs: Tabs
  readonly pane: HTMLDivElement
  readonly #context: EditorContext
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
    this.tabs = new Tabs(context, id, (mode) => this.#show(mode))
    host.setAttribute('data-mode', 'write')
    signal.addEventListener('abort', () => host.removeAttribute('data-mode'))
    context.events.key.add((event) => this.#onKey(event))
    // Shows the field, because the browser cannot show its message on a hidden field.
    textarea.addEventListener('invalid', () => this.showText(), { signal })
    // The printed page shows the textarea, even if the editor uses another surface.
    window.addEventListener('beforeprint', () => context.surface.flush(), { signal })
    const observer = new ResizeObserver(() => this.tabs.fit())
    observer.observe(host)
    signal.addEventListener('abort', () => observer.disconnect())
  }

  showText(): void {
    if (this.tabs.mode === 'preview') this.tabs.select('write')
  }

  #onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || shortcutOf(event) !== 'modes') return
    event.preventDefault()
    const { notice, strings, surface } = this.#context
    const isInside = surface.focused || this.pane.contains(document.activeElement)
    this.tabs.cycle()
    // Moves the focus, because the preview hides the text and the buttons.
    if (this.tabs.mode === 'preview') this.pane.focus()
    else if (isInside) surface.focus({ preventScroll: true })
    notice.say(strings[this.tabs.mode])
  }

  #show(mode: Mode): void {
    const { host } = this.#context
    const height = host.offsetHeight
    host.setAttribute('data-mode', mode)
    this.#setRoom(0)
    // Keeps the height of the editor when the toolbar is hidden, so that the page does not move.
    if (mode === 'preview') this.#setRoom(height - host.offsetHeight + this.pane.offsetHeight)
    if (mode !== 'write') this.#preview ??= this.#load()
    void this.#preview?.then((preview) => preview?.show(this.tabs.mode))
  }

  #setRoom(height: number): void {
    this.pane.style.setProperty('--_room', `${height}px`)
  }

  /** Returns null if loading failed or the editor has stopped. */
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
      showFailure(this.pane, error, strings, () => this.#show(this.tabs.mode))
      return null
    }
  }
}

/** The tabs of the modes. Follows https://www.w3.org/WAI/ARIA/apg/patterns/tabs/. */
class Tabs {
  readonly element: HTMLDivElement
  readonly #tabs = new Map<Mode, HTMLButtonElement>()
  readonly #onSelect: (mode: Mode) => void
  #mode: Mode = 'write'

  /** @param pane the id of the preview's element */
  constructor(
    { textarea: { id: text }, strings }: EditorContext,
    pane: string,
    onSelect: (mode: Mode) => void,
  ) {
    this.#onSelect = onSelect
    const panels: Readonly<Record<Mode, string>> = {
      write: text,
      split: `${text} ${pane}`,
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
    this.element = createElement(
      'div',
      { class: 'md-editor-tabs', role: 'tablist', 'aria-label': strings.tabs },
      ...this.#tabs.values(),
    )
    this.#mark()
    this.element.addEventListener('keydown', (event) => this.#onKey(event))
  }

  get mode(): Mode {
    return this.#mode
  }

  select(mode: Mode): void {
    if (mode === this.#mode) return
    this.#mode = mode
    this.#mark()
    this.#onSelect(mode)
  }

  cycle(): void {
    const modes = this.#shown()
    this.select(modes[(modes.indexOf(this.#mode) + 1) % modes.length] ?? 'write')
  }

  /** Shows only the text if the style sheet hides the tab of the current mode. */
  fit(): void {
    if (!this.#shown().includes(this.#mode)) this.select('write')
  }

  #shown(): readonly Mode[] {
    const shown = [...this.#tabs].filter(([, tab]) => getComputedStyle(tab).display !== 'none')
    return shown.map(([mode]) => mode)
  }

  #onKey(event: KeyboardEvent): void {
    const next = itemByKey(event, this.#shown(), this.#mode, arrowsAlong(this.element))
    if (next === undefined) return
    this.select(next)
    this.#tabs.get(next)?.focus()
  }

  #mark(): void {
    for (const [mode, tab] of this.#tabs) {
      const selected = mode === this.#mode
      tab.setAttribute('aria-selected', String(selected))
      tab.tabIndex = selected ? 0 : -1
    }
  }
}
