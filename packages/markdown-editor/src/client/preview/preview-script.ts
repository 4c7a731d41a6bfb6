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
  /**
   * Imports it into the page.
   *
   * @throws Error with a message for the user
   */
  load(): Promise<{ readonly default?: PreviewServer }>
}

/**
 * The preview's own script, or the one that the attribute `preview-worker` names.
 *
 * @param url the attribute; null without it
 */
export function previewScript(url: string | null, tools: PreviewTools): PreviewScript {
  if (url !== null) return namedScript(new URL(url, document.baseURI), tools)
  return {
    name: '',
    start() {
      const Worker = workerClass(tools) // Bundlers look for `new Worker(new URL(…))`.
      return new Worker(new URL('./preview.worker.js', import.meta.url), { type: 'module' })
    },
    load: () => orMissing(import('./preview.worker.ts'), tools),
  }
}

function namedScript(url: URL, tools: PreviewTools): PreviewScript {
  return {
    name: url.href,
    start: () => new (workerClass(tools))(url, { type: 'module' }),
    async load() {
      tools.trustScriptUrl(url) // An attribute must not bring a script of another origin into the page.
      return orMissing(import(/* @vite-ignore */ /* webpackIgnore: true */ url.href), tools)
    },
  }
}

function workerClass({ trustScriptUrl }: PreviewTools): new (url: URL, options: WorkerOptions) => Worker {
  return class extends Worker {
    constructor(url: URL, options: WorkerOptions) {
      super(trustScriptUrl(url), options)
    }
  }
}

async function orMissing<Part>(part: Promise<Part>, { strings }: PreviewTools): Promise<Part> {
  try {
    return await part
  } catch (cause) {
    throw new Error(strings.partMissing, { cause })
  }
}
