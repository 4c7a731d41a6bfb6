import type { BaseRenderer, RenderPatch } from '@quillgate/markdown/browser'
import type { PreviewSettings } from '../editor/read-settings.ts'
import { messageOf } from '../i18n/load-part.ts'

/** A request to render a text. The first request has settings. Requests must not overlap. */
export interface PreviewRequest {
  readonly settings?: PreviewSettings
  readonly text: string
}

/** The answer to a request. */
export type PreviewAnswer =
  | { readonly type: 'patch'; readonly patch: RenderPatch }
  | { readonly type: 'failed'; readonly message: string }

/** A renderer for the document of one editor, for example an `IncrementalRenderer`. */
export interface PreviewRenderer {
  /**
   * Loads resources for a text, such as grammars of code languages. Called before each `update`.
   * Returns null if everything is loaded.
   */
  prepare?(markdown: string): Promise<void> | null
  /** Renders a text and returns what changed since the previous text. */
  update(markdown: string): RenderPatch
}

/** Creates a renderer. Without `update`, it renders the whole text each time. */
export type CreatePreviewRenderer = (
  settings: PreviewSettings,
) => PreviewRenderer | BaseRenderer | Promise<PreviewRenderer | BaseRenderer>

/** Opens a document. Returns the function that handles its requests. */
export type PreviewServer = (
  answer: (message: PreviewAnswer) => void,
) => (request: PreviewRequest) => Promise<void>

interface WorkerScope {
  onmessage: (event: { readonly data: PreviewRequest }) => void
  postMessage(message: PreviewAnswer | { readonly type: 'ready' }): void
}

/**
 * Renders previews in a Worker. Call this function once in the Worker's module, and export the
 * result as the default. A page that cannot start a Worker imports the module instead. The page
 * does not sanitize the output, so a custom renderer must return safe HTML.
 *
 * @param create creates the renderer of a document; called once for each editor, and again after a
 * failure
 * @example
 * const create = (settings) => new IncrementalRenderer({ ...settings, markdownIt: MarkdownIt })
 * export default servePreview(create)
 */
export function servePreview(create: CreatePreviewRenderer): PreviewServer {
  const server: PreviewServer = (answer) => {
    let renderer: PreviewRenderer | null = null
    const render = async ({ settings, text }: PreviewRequest): Promise<RenderPatch> => {
      if (settings !== undefined) {
        const created = await create(settings)
        renderer = 'update' in created ? created : asWhole(created)
      }
      if (renderer === null) throw new Error('The first request for a preview has no settings.')
      await renderer.prepare?.(text)
      return renderer.update(text)
    }
    return async (request) => {
      try {
        answer({ type: 'patch', patch: await render(request) })
      } catch (error) {
        answer({ type: 'failed', message: messageOf(error) })
      }
    }
  }
  if ('DedicatedWorkerGlobalScope' in globalThis) {
    const scope = globalThis as unknown as WorkerScope
    const handle = server((message) => scope.postMessage(message))
    scope.onmessage = ({ data }) => void handle(data)
    scope.postMessage({ type: 'ready' })
  }
  return server
}

/** Shows the whole output of a renderer as one block, which replaces the previous one. */
function asWhole(renderer: BaseRenderer): PreviewRenderer {
  return {
    update(markdown) {
      const blocks = [{ html: renderer.render(markdown), line: 0 }]
      return { start: 0, removed: 1, blocks, lineShift: 0 }
    },
  }
}
