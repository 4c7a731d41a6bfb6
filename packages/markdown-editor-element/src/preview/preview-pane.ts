import type { Mode } from '../contract/attributes.ts'
import { PART } from '../dom/elements.ts'
import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { laterStrings } from '../i18n/later.ts'
import { Divider } from './divider.ts'
import { showFailure, showHint } from './failure.ts'
import { Preview } from './preview.ts'
import { PreviewPace } from './preview-pace.ts'
import { ScrollSync } from './scroll-sync.ts'
import { TextFeed } from './text-feed.ts'

/** Keeps the preview of an editor up to date while it is visible. Loaded on first use. */
export class PreviewPane {
  readonly #context: EditorContext
  readonly #pane: HTMLElement
  readonly #preview: Preview
  readonly #feed: TextFeed
  readonly #sync: ScrollSync
  readonly #pace = new PreviewPace()
  #mode: Mode = 'write'
  #isRunning = false

  /** Makes one, once its style sheet is there. */
  static async create(context: EditorContext, pane: HTMLElement): Promise<PreviewPane> {
    await loadStyles(context.host, 'preview')
    return new PreviewPane(context, pane)
  }

  private constructor(context: EditorContext, pane: HTMLElement) {
    this.#context = context
    this.#pane = pane
    this.#feed = new TextFeed(context, () => {
      this.#pace.typed()
      this.#follow()
    })
    context.onSelect(() => this.#pace.moved())
    context.onPause(() => this.#pace.paused())
    this.#preview = new Preview(context, pane, this.#feed)
    const divider = new Divider(context, laterStrings(context.strings).divider).element
    divider.setAttribute(PART, '')
    pane.before(divider)
    context.signal.addEventListener('abort', () => divider.remove())
    this.#sync = new ScrollSync(context, pane, this.#preview.view)
  }

  /** Follows what the editor shows now. */
  show(mode: Mode): void {
    this.#mode = mode
    if (mode !== 'split') this.#pace.hurry()
    this.#sync.toggle(mode === 'split')
    this.#follow()
  }

  #follow(): void {
    if (!this.#isRunning && this.#mode !== 'write' && this.#feed.hasNews) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      while (this.#mode !== 'write' && this.#feed.hasNews) await this.#update()
    } catch (error) {
      this.#feed.forget()
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
    const { version } = this.#feed
    try {
      const { shown, cost } = await this.#preview.update(async () => {
        if (this.#mode === 'split') await this.#pace.nextKey()
      })
      this.#sync.follow(shown)
      this.#pace.shown(cost)
    } catch (error) {
      // A newer text may render.
      if (this.#feed.version === version || this.#context.signal.aborted) throw error
      this.#feed.forget()
    }
  }
}
