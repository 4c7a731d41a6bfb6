import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor-context.ts'
import { showFailure, showHint } from '../preview/failure.ts'
import { Preview } from '../preview/preview.ts'
import { TextFeed } from '../preview/text-feed.ts'
import { Split } from './split.ts'
import type { Mode } from './tabs.ts'

// While someone types beside the preview, it follows after a short pause, and after a while in any case, in milliseconds.
const PAUSE = 150
const WHILE = 1000

// A text that takes the page long, as one that is all in one block, is shown more rarely: of so many times, one is spent.
const SHARE = 20
const LONGEST = 2000

/** Keeps an editor's preview up to date while it is to be seen. This module is loaded when it is first asked for. */
export class PreviewPane {
  readonly #context: EditorContext
  readonly #pane: HTMLElement
  readonly #preview: Preview
  readonly #feed: TextFeed
  readonly #split: Split
  #mode: Mode = 'write'
  #isRunning = false
  #start = Number.NEGATIVE_INFINITY
  #end = Number.NEGATIVE_INFINITY
  #changed = Number.NEGATIVE_INFINITY
  #wake: (() => void) | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Makes one, once its style sheet is there. */
  static async create(context: EditorContext, pane: HTMLElement): Promise<PreviewPane> {
    await loadStyles(context.host, 'preview')
    return new PreviewPane(context, pane)
  }

  private constructor(context: EditorContext, pane: HTMLElement) {
    this.#context = context
    this.#pane = pane
    this.#feed = new TextFeed(context, () => {
      this.#changed = performance.now()
      if (this.#wake === null) this.#follow()
      else this.#wakeLater()
    })
    this.#preview = new Preview(context, pane, this.#feed)
    this.#split = new Split(context, pane, this.#preview.view)
  }

  /** Follows what the editor shows now. */
  show(mode: Mode): void {
    this.#mode = mode
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

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#wakeLater()
    })
    this.#wake = null
  }

  // A timer that is set anew costs less than one that fires for nothing.
  #wakeLater(): void {
    clearTimeout(this.#timer)
    const due = Math.min(this.#changed + PAUSE, this.#start + WHILE)
    const rest = Math.max(due, this.#end + Math.min(this.#preview.cost * SHARE, LONGEST)) - performance.now()
    this.#timer = setTimeout(() => this.#wake?.(), rest)
  }

  #fail(error: unknown): void {
    const { strings } = this.#context
    showFailure(this.#pane, error, strings, () => {
      showHint(this.#pane, strings.loadingPreview)
      this.#follow()
    })
  }

  async #update(): Promise<void> {
    if (this.#mode === 'split') await this.#pause()
    this.#start = performance.now()
    const { version } = this.#feed
    try {
      this.#split.follow(await this.#preview.update())
      this.#end = performance.now()
    } catch (error) {
      // What has been written meanwhile may do better.
      if (this.#feed.version === version || this.#context.signal.aborted) throw error
      this.#feed.forget()
    }
  }
}
