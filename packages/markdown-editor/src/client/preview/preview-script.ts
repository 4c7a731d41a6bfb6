import type { PreviewServer } from './serve-preview.ts'
import type { PreviewTools } from './tools.ts'

/** The script that renders previews. */
export interface PreviewScript {
  /** Previews of the same name share a Worker. */
  readonly name: string
  /**
   * Starts it as a Worker.
   *
   * @throws when the page cannot have Workers, or not of this origin
   */
  start(): Worker
  /** Imports it into the page. */
  load(): Promise<{ readonly default?: PreviewServer }>
}

/**
 * The preview's own script, or the one that the attribute `preview-worker` names.
 *
 * @param url the attribute; null without it
 * @param trustUrl lets a URL of this origin pass
 */
export function previewScript(url: string | null, trustUrl: PreviewTools['trustScriptUrl']): PreviewScript {
  if (url !== null) return namedScript(new URL(url, document.baseURI), trustUrl)
  return {
    name: '',
    start() {
      const Worker = workerClass(trustUrl) // Bundlers look for `new Worker(new URL(…))`.
      return new Worker(new URL('./preview.worker.js', import.meta.url), { type: 'module' })
    },
    load: () => import('./preview.worker.ts'),
  }
}

function namedScript(url: URL, trustUrl: PreviewTools['trustScriptUrl']): PreviewScript {
  return {
    name: url.href,
    start: () => new (workerClass(trustUrl))(url, { type: 'module' }),
    async load() {
      trustUrl(url) // An attribute must not bring a script of another origin into the page.
      return import(/* @vite-ignore */ /* webpackIgnore: true */ url.href)
    },
  }
}

function workerClass(trustUrl: PreviewTools['trustScriptUrl']): new (url: URL, options: WorkerOptions) => Worker {
  return class extends Worker {
    constructor(url: URL, options: WorkerOptions) {
      super(trustUrl(url), options)
    }
  }
}
