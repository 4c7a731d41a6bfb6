import type { RenderPatch } from '@quillgate/markdown/browser'
import { whenIdle } from '../dom/idle.ts'
import { trustScriptUrl } from '../dom/trusted-types.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { type PreviewSettings, readSettings } from '../editor/read-settings.ts'
import { loadPart } from '../i18n/load-part.ts'
import type { EditorStrings } from '../i18n/strings.ts'
import type { PreviewAnswer, PreviewRequest, PreviewServer } from './serve-preview.ts'

// The maximum time of loading and rendering, in ms. A slow computer renders in less than a second.
const LIMIT = 60_000

type Post = (request: PreviewRequest) => void

/** Renders the text of an editor in a Worker, or on the page if Workers are not possible. */
export class PreviewClient {
  readonly settings: PreviewSettings
  readonly #context: EditorContext
  readonly #script: PreviewScript
  /** Aborted when the current renderer ends. */
  #life = new AbortController()
  #post: Promise<Post> | null = null
  #result: PromiseWithResolvers<RenderPatch> | null = null

  constructor(context: EditorContext) {
    const { host, signal, strings } = context
    this.settings = readSettings(host)
    this.#context = context
    this.#script = previewScript(host.getAttribute('preview-worker'), strings)
    signal.addEventListener('abort', () => this.end(signal.reason))
  }

  /** Renders the text. Calls must not overlap. The first patch after a start is the whole text. */
  async render(): Promise<RenderPatch> {
    const { signal, strings, surface } = this.#context
    signal.throwIfAborted()
    const { text } = surface.read()
    const request = this.#post === null ? { settings: this.settings, text } : { text }
    const result = Promise.withResolvers<RenderPatch>()
    this.#result = result
    const tooSlow = new Error(strings.previewTooSlow)
    const timer = setTimeout(() => this.end(tooSlow), LIMIT)
    this.#post ??= this.#connect()
    this.#post.then((post) => post(request), result.reject)
    try {
      return await result.promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the renderer. The next call of `render` starts another one. */
  end(reason: unknown): void {
    this.#life.abort(reason)
    this.#result?.reject(reason)
    this.#post = null
  }

  async #connect(): Promise<Post> {
    this.#life = new AbortController()
    const { signal } = this.#life
    const onAnswer = (answer: PreviewAnswer): void => {
      if (signal.aborted) return
      if (answer.type === 'patch') this.#result?.resolve(answer.patch)
      else this.#result?.reject(new Error(answer.message))
    }
    const worker = await startWorker(this.#script, signal)
    if (worker !== null) {
      worker.onmessage = ({ data }: MessageEvent<PreviewAnswer>) => onAnswer(data)
      return (request) => worker.postMessage(request)
    }
    const { default: open } = await this.#script.load()
    if (typeof open !== 'function')
      throw new TypeError('The script of the preview has no default export.')
    const post = open(onAnswer)
    return (request) => whenIdle(() => signal.aborted || post(request))
  }
}

/** Starts a Worker. Returns null if the page cannot have one. */
function startWorker(script: PreviewScript, signal: AbortSignal): Promise<Worker | null> {
  return new Promise((resolve) => {
    try {
      const worker = script.start()
      signal.addEventListener('abort', () => worker.terminate())
      worker.onmessage = () => {
        worker.onerror = null
        resolve(worker)
      }
      worker.onerror = (event) => {
        event.preventDefault() // The page renders without a Worker.
        worker.terminate()
        resolve(null)
      }
    } catch {
      resolve(null)
    }
  })
}

interface PreviewScript {
  /** Starts the script as a Worker. Throws if the page does not allow a Worker with its URL. */
  start(): Worker
  load(): Promise<{ readonly default?: PreviewServer }>
}

function previewScript(address: string | null, strings: EditorStrings): PreviewScript {
  if (address === null)
    return {
      start() {
        const Worker = workerClass() // Bundlers recognize only `new Worker(new URL(…))`.
        return new Worker(new URL('./preview.worker.js', import.meta.url), { type: 'module' })
      },
      load: () => loadPart(() => import('./preview.worker.ts'), strings),
    }
  const url = new URL(address, document.baseURI)
  return {
    start: () => new (workerClass())(url, { type: 'module' }),
    async load() {
      trustScriptUrl(url) // Throws for another origin, whose scripts must not be loaded.
      return loadPart(() => import(/* @vite-ignore */ /* webpackIgnore: true */ url.href), strings)
    },
  }
}

function workerClass(): new (url: URL, options: WorkerOptions) => Worker {
  return class extends Worker {
    constructor(url: URL, options: WorkerOptions) {
      super(trustScriptUrl(url), options)
    }
  }
}
