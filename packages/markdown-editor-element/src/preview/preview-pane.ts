import type { Mode } from '../contract/attributes.ts'
import { PART } from '../dom/elements.ts'
import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { laterStrings } from '../i18n/later.ts'
import { Divider } from './divider.ts'
import { showFailure, showHint } from './failure.ts'
import { Preview } from './preview.ts'
import { PreviewClient } from './preview-client.ts'
import { PreviewPace } from './preview-pace.ts'
import { ScrollSync } from './scroll-sync.ts'

/** Keeps the preview of an editor up to date while it is visible. Loaded on first use. */
export class PreviewPane {
  readonly #context: EditorContext
  readonly #pane: HTMLElement
  readonly #client: PreviewClient
  readonly #preview: Preview
  readonly #sync: ScrollSync
  readonly #pace = new PreviewPace()
  #mode: Mode = 'write'
  #isRunning = false

  static async create(context: EditorContext, pane: HTMLElement): Promise<PreviewPane> {
    await loadStyles(context.host, 'preview')
    return new PreviewPane(context, pane)
  }

  private constructor(context: EditorContext, pane: HTMLElement) {
    this.#context = context
    this.#pane = pane
    this.#client = new PreviewClient(context, () => {
      this.#pace.typed()
      this.#follow()
    })
    context.onSelect(() => this.#pace.moved())
    context.onPause(() => this.#pace.paused())
    this.#preview = new Preview(context, pane, this.#client.settings)
    const divider = new Divider(context, laterStrings(context.strings).divider).element
    divider.setAttribute(PART, '')
    pane.before(divider)
    context.signal.addEventListener('abort', () => divider.remove())
    this.#sync = new ScrollSync(context, pane, this.#preview.view)
  }

  /** Follows the mode of the editor. */
  show(mode: Mode): void {
    this.#mode = mode
    if (mode !== 'split') this.#pace.hurry()
    this.#sync.toggle(mode === 'split')
    this.#follow()
  }

  #follow(): void {
    if (!this.#isRunning && this.#isBehind) void this.#run()
  }

  get #isBehind(): boolean {
    return this.#mode !== 'write' && this.#client.hasNews
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      while (this.#isBehind) await this.#update()
    } catch (error) {
      this.#client.forget()
      if (!this.#context.signal.aborted) this.#fail(error)
    } finally {
      this.#isRunning = false
    }
  }

  #fail(error: unknown): void {
    const { strings } = this.#context
    showFailure(this.#pane, error, strings, () => {
      showHint(this.#pane, strings.loadingPreview)
      this.#follow()
    })
  }

  async #update(): Promise<void> {
    if (this.#mode === 'split') await this.#pace.due()
    const { version } = this.#client
    try {
      const rendered = await this.#client.render()
      if (this.#mode === 'split') await this.#pace.nextKey()
      const start = performance.now()
      const shown = await this.#preview.show(rendered)
      this.#pace.shown(performance.now() - start)
      this.#sync.follow(shown)
    } catch (error) {
      // A newer text may render.
      if (this.#client.version === version || this.#context.signal.aborted) throw error
      this.#client.forget()
    }
  }
}
