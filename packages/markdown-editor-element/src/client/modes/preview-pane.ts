import type { Mode } from '../../contract/choices.ts'
import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor-context.ts'
import { showFailure, showHint } from '../preview/failure.ts'
import { Preview } from '../preview/preview.ts'
import { TextFeed } from '../preview/text-feed.ts'
import { PreviewPace } from './preview-pace.ts'
import { Split } from './split.ts'

/** Keeps an editor's preview up to date while it is to be seen. This module is loaded when it is first asked for. */
export class PreviewPane {
  readonly #context: EditorContext
  readonly #pane: HTMLElement
  readonly #preview: Preview
  readonly #feed: TextFeed
  readonly #split: Split
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
    this.#split = new Split(context, pane, this.#preview.view)
  }

  /** Follows what the editor shows now. */
  show(mode: Mode): void {
    this.#mode = mode
    if (mode !== 'split') this.#pace.hurry()
    this.#split.toggle(mode === 'split')
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
      this.#split.follow(shown)
      this.#pace.shown(cost)
    } catch (error) {
      // What has been written meanwhile may do better.
      if (this.#feed.version === version || this.#context.signal.aborted) throw error
      this.#feed.forget()
    }
  }
}
