import { trustScriptUrl } from '../dom/trusted-types.ts'
import { loadPart } from '../i18n/load-part.ts'
import type { EditorStrings } from '../i18n/strings.ts'
import type { PreviewServer } from './serve-preview.ts'

/** The script that renders previews. */
export interface PreviewScript {
  /** Starts it as a Worker. Throws if the page cannot have one of this origin. */
  start(): Worker
  /** Imports it into the page. */
  load(): Promise<{ readonly default?: PreviewServer }>
}

/** The preview's own script, or the one of the attribute `preview-worker`. */
export function previewScript(address: string | null, strings: EditorStrings): PreviewScript {
  if (address === null)
    return {
      start() {
        const Worker = workerClass() // Bundlers look for `new Worker(new URL(…))`.
        return new Worker(new URL('./preview.worker.js', import.meta.url), { type: 'module' })
      },
      load: () => loadPart(() => import('./preview.worker.ts'), strings),
    }
  const url = new URL(address, document.baseURI)
  return {
    start: () => new (workerClass())(url, { type: 'module' }),
    async load() {
      trustScriptUrl(url) // An attribute must not bring a script of another origin into the page.
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
