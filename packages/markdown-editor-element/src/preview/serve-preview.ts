import type { BaseRenderer, RenderPatch } from '@quillgate/markdown/browser'
import type { PreviewSettings } from '../editor/read-settings.ts'
import { messageOf } from '../i18n/load-part.ts'
import type { TextChange } from '../surface/surface.ts'
import type { PreviewAnswer, PreviewRequest, WorkerReady } from './protocol.ts'

/** Renders one document of a preview, such as an `IncrementalRenderer`. */
export interface PreviewRenderer {
  /** Loads what a text needs, before each `update`; null when nothing is missing. */
  prepare?(markdown: string): Promise<void> | null
  /** Renders a text, and says what changed since the last one. */
  update(markdown: string): RenderPatch
}

/**
 * Creates the renderer of a document. A renderer without `update` renders the whole text each time.
 */
export type CreatePreviewRenderer = (
  settings: PreviewSettings,
) => PreviewRenderer | BaseRenderer | Promise<PreviewRenderer | BaseRenderer>

type Answer = (message: PreviewAnswer) => void

/** Answers the requests of a page. */
export type PreviewServer = (request: PreviewRequest, answer: Answer) => Promise<void>

interface WorkerScope {
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: PreviewRequest }) => void,
  ): void
  postMessage(message: PreviewAnswer | WorkerReady): void
}

/**
 * Renders previews in a Worker. The module of the Worker calls it once and exports what it gives as
 * its default, so that a page which cannot have a Worker can import the module instead. What the
 * renderers give is put into pages as it is: an own renderer answers for the safety of its output.
 *
 * @param create makes the renderer of a document, once for each editor
 * @example
 * export default servePreview((settings) => new IncrementalRenderer({ ...settings, markdownIt: MarkdownIt, plugins }))
 */
export function servePreview(create: CreatePreviewRenderer): PreviewServer {
  const server = createServer(create)
  if ('DedicatedWorkerGlobalScope' in globalThis) {
    const scope = globalThis as unknown as WorkerScope
    scope.addEventListener(
      'message',
      ({ data }) => void server(data, (answer) => scope.postMessage(answer)),
    )
    scope.postMessage({ type: 'ready' })
  }
  return server
}

function createServer(create: CreatePreviewRenderer): PreviewServer {
  const documents = new Map<number, Promise<OpenDocument>>()

  const handle = async (request: PreviewRequest, answer: Answer): Promise<PreviewAnswer | null> => {
    const { type, id } = request
    if (type === 'close') {
      documents.delete(id)
      return null
    }
    if (type === 'open') {
      const opening = openDocument(create, request.settings)
      documents.set(id, opening)
      await opening
      return { type: 'opened', id }
    }
    const document = await documents.get(id)
    if (document === undefined) throw new Error(`The preview has no document ${id}.`)
    const { renderer } = document
    document.text = 'text' in request ? request.text : applyChanges(document.text, request.changes)
    const preparing = renderer.prepare?.(document.text) ?? null
    if (preparing !== null) answer({ type: 'loading', id })
    await preparing
    return { type: 'patch', id, patch: renderer.update(document.text) }
  }

  return async (request, answer) => {
    try {
      const message = await handle(request, answer)
      if (message !== null) answer(message)
    } catch (error) {
      const { id } = request
      documents.delete(id)
      answer({ type: 'failed', id, message: messageOf(error) })
    }
  }
}

/** A document and its text, as the page has it. */
interface OpenDocument {
  readonly renderer: PreviewRenderer
  text: string
}

async function openDocument(
  create: CreatePreviewRenderer,
  settings: PreviewSettings,
): Promise<OpenDocument> {
  const renderer = await create(settings)
  return { renderer: 'update' in renderer ? renderer : new WholeText(renderer), text: '' }
}

function applyChanges(text: string, changes: readonly TextChange[]): string {
  return changes.reduce(
    (old, { start, end, insert }) => old.slice(0, start) + insert + old.slice(end),
    text,
  )
}

/** A renderer's whole output as one block. */
class WholeText implements PreviewRenderer {
  readonly #renderer: BaseRenderer
  #shown = 0

  constructor(renderer: BaseRenderer) {
    this.#renderer = renderer
  }

  update(markdown: string): RenderPatch {
    const blocks = [{ html: this.#renderer.render(markdown), line: 0 }]
    const removed = this.#shown
    this.#shown = blocks.length
    return { start: 0, removed, blocks, lineShift: 0 }
  }
}
