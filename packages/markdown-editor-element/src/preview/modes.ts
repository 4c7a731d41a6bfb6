import type { Mode } from '../contract/attributes.ts'
import { createElement } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { loadPart } from '../i18n/load-part.ts'
import { shortcutOf } from '../toolbar/shortcuts.ts'
import { showFailure, showHint } from './failure.ts'
import { Tabs } from './mode-tabs.ts'
import type { PreviewPane } from './preview-pane.ts'

/** Shows the text, the preview, or both, by `data-mode` of the host and the style sheet. */
export class Modes {
  readonly tabs: Tabs
  /** Where the preview is. */
  readonly pane: HTMLDivElement
  readonly #context: EditorContext
  #preview: Promise<PreviewPane | null> | null = null

  constructor(context: EditorContext) {
    this.#context = context
    const { host, textarea, strings, signal } = context
    const id = `${textarea.id}-preview`
    this.pane = createElement('div', {
      id,
      class: 'md-editor-preview md-content',
      role: 'tabpanel',
      tabindex: '0',
      'aria-labelledby': `${id}-tab-preview`,
    })
    this.tabs = new Tabs(textarea.id, id, strings, (mode) => this.#show(mode))
    host.setAttribute('data-mode', 'write')
    signal.addEventListener('abort', () => host.removeAttribute('data-mode'))
    context.onKey((event) => this.#onKey(event))
    // A hidden field cannot show what is wrong with it.
    textarea.addEventListener('invalid', () => this.#showText(), { signal })
    // Printing shows the textarea, even under another surface.
    window.addEventListener('beforeprint', () => context.surface.flush(), { signal })
  }

  #showText(): void {
    if (this.tabs.mode === 'preview') this.tabs.select('write')
  }

  #onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || shortcutOf(event) !== 'modes') return
    event.preventDefault()
    const { surface } = this.#context
    const isInside = surface.focused || this.pane.contains(document.activeElement)
    this.tabs.cycle()
    // The focused element may be hidden now.
    if (isInside && this.tabs.mode === 'preview') this.pane.focus()
    else if (isInside) surface.focus({ preventScroll: true })
  }

  #show(mode: Mode): void {
    const { host } = this.#context
    const height = host.offsetHeight
    host.setAttribute('data-mode', mode)
    this.#setRoom(0)
    // Keeps the content below the editor in place although the toolbar is gone.
    if (mode === 'preview') this.#setRoom(height - host.offsetHeight + this.pane.offsetHeight)
    if (mode !== 'write') this.#preview ??= this.#load()
    void this.#preview?.then((preview) => preview?.show(this.tabs.mode))
  }

  #setRoom(height: number): void {
    this.pane.style.setProperty('--_room', `${height}px`)
  }

  /** Null when it failed, or the editor has ended meanwhile. */
  async #load(): Promise<PreviewPane | null> {
    const { signal, strings } = this.#context
    showHint(this.pane, strings.loadingPreview)
    try {
      const { PreviewPane } = await loadPart(() => import('./preview-pane.ts'), strings)
      return signal.aborted ? null : await PreviewPane.create(this.#context, this.pane)
    } catch (error) {
      this.#preview = null
      showFailure(this.pane, error, strings, () => this.#show(this.tabs.mode))
      return null
    }
  }
}
