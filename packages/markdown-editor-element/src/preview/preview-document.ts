import type { RenderPatch } from '@quillgate/markdown/browser'
import type { PreviewSettings } from '../editor/read-settings.ts'
import type { EditorStrings } from '../i18n/strings.ts'
import { PreviewHost, RestartedError } from './preview-host.ts'
import type { PreviewScript } from './preview-script.ts'
import type { TextFeed } from './text-feed.ts'

/** What became of a text. */
export interface Rendered {
  readonly patch: RenderPatch
  /** True when the patch holds the whole document, whatever was there before. */
  readonly whole: boolean
}

/** One editor's text in the Worker. */
export class PreviewDocument {
  readonly #host: PreviewHost
  readonly #settings: PreviewSettings
  readonly #feed: TextFeed
  readonly #life = new AbortController()
  #id: number | null = null
  /** Aborted when the Worker that has the document is gone. */
  #opened: AbortSignal | null = null

  /** @param feed where the text comes from */
  constructor(
    script: PreviewScript,
    settings: PreviewSettings,
    feed: TextFeed,
    strings: EditorStrings,
  ) {
    this.#host = PreviewHost.join(script, strings)
    this.#settings = settings
    this.#feed = feed
  }

  /** Renders what is new in the text. Calls must not overlap. */
  async render(): Promise<Rendered> {
    for (;;) {
      try {
        return await this.#send()
      } catch (error) {
        this.#opened = null
        if (!(error instanceof RestartedError)) throw error
      }
    }
  }

  /** Ends it; the Worker too, when it was the last one. */
  close(): void {
    this.#life.abort()
    this.#host.leave(this.#id)
  }

  async #send(): Promise<Rendered> {
    const open = this.#opened?.aborted === false ? this.#id : null
    const whole = open === null
    const id = open ?? (await this.#open())
    this.#life.signal.throwIfAborted()
    const answer = await this.#host.ask({ type: 'render', id, ...this.#feed.take(whole) })
    if (answer.type === 'patch') return { patch: answer.patch, whole }
    throw new TypeError('The script of the preview gave no patch.')
  }

  async #open(): Promise<number> {
    this.#life.signal.throwIfAborted()
    const id = this.#host.createId()
    this.#id = id
    this.#opened = this.#host.signal
    await this.#host.ask({ type: 'open', id, settings: this.#settings })
    return id
  }
}
