import { loadStyles } from '../dom/load-styles.ts'
import type { EditorContext } from '../editor-context.ts'
import { showFailure, showHint } from '../preview/failure.ts'
import { Preview } from '../preview/preview.ts'
import { TextFeed } from '../preview/text-feed.ts'
import { Split } from './split.ts'
import type { Mode } from './tabs.ts'

// While someone types beside the preview, it follows in their pauses, and after so many milliseconds in any case.
const WHILE = 2000

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
  #isTyping = false
  #since = 0
  #start = Number.NEGATIVE_INFINITY
  #end = Number.NEGATIVE_INFINITY
  /** Begins the next update. */
  #wake: (() => void) | null = null
  /** Shows what has come of the last one. */
  #show: (() => void) | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Makes one, once its style sheet is there. */
  static async create(context: EditorContext, pane: HTMLElement): Promise<PreviewPane> {
    await loadStyles(context.host, 'preview')
    return new PreviewPane(context, pane)
  }

  private constructor(context: EditorContext, pane: HTMLElement) {
    this.#context = context
    this.#pane = pane
    this.#feed = new TextFeed(context, () => this.#onChange())
    context.onPause(() => this.#onPause())
    this.#preview = new Preview(context, pane, this.#feed)
    this.#split = new Split(context, pane, this.#preview.view)
  }

  /** Follows what the editor shows now. */
  show(mode: Mode): void {
    this.#mode = mode
    this.#show?.()
    if (mode === 'preview') this.#wake?.()
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

  #onChange(): void {
    if (!this.#isTyping) this.#since = performance.now()
    this.#isTyping = true
    this.#show?.()
    if (this.#wake === null) this.#follow()
    else if (this.#rest <= 0) this.#wake()
  }

  #onPause(): void {
    this.#isTyping = false
    this.#show?.()
    this.#wakeLater()
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#wakeLater()
    })
    clearTimeout(this.#timer)
    this.#wake = null
  }

  // While someone types no timer is set: each of their keys looks whether the time has come.
  #wakeLater(): void {
    const rest = this.#rest
    clearTimeout(this.#timer)
    if (rest <= 0) this.#wake?.()
    else if (!this.#isTyping) this.#timer = setTimeout(() => this.#wake?.(), rest)
  }

  /** The milliseconds until the next update. */
  get #rest(): number {
    const due = this.#isTyping ? Math.max(this.#since, this.#start) + WHILE : 0
    return Math.max(due, this.#end + Math.min(this.#preview.cost * SHARE, LONGEST)) - performance.now()
  }

  /** Waits for the next key of who types, for its frame shows this too: one of its own would cost as much again. */
  async #nextFrame(): Promise<void> {
    if (this.#isTyping && this.#mode === 'split') {
      await new Promise<void>((resolve) => {
        this.#show = resolve
      })
    }
    this.#show = null
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
      this.#split.follow(await this.#preview.update(() => this.#nextFrame()))
      this.#end = performance.now()
    } catch (error) {
      // What has been written meanwhile may do better.
      if (this.#feed.version === version || this.#context.signal.aborted) throw error
      this.#feed.forget()
    }
  }
}
