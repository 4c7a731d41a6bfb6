import type { RenderPatch } from '@quillgate/markdown/browser'
import type { PreviewSettings } from '../editor/read-settings.ts'
import type { TextChange } from '../surface/surface.ts'

/**
 * What a page asks of the Worker. Each document has an id of its own, and one `open` or `render` under way at most. The
 * first `render` has the text, later ones may have what changed in it.
 */
export type PreviewRequest =
  | { readonly type: 'open'; readonly id: number; readonly settings: PreviewSettings }
  | { readonly type: 'render'; readonly id: number; readonly text: string }
  | { readonly type: 'render'; readonly id: number; readonly changes: readonly TextChange[] }
  | { readonly type: 'close'; readonly id: number }

/**
 * What the Worker says about a document. One that has failed is closed; one that is `loading` waits for the network, and
 * its answer comes later.
 */
export type PreviewAnswer =
  | { readonly type: 'opened'; readonly id: number }
  | { readonly type: 'loading'; readonly id: number }
  | { readonly type: 'patch'; readonly id: number; readonly patch: RenderPatch }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }

/** A Worker's first word: it has started. */
export interface WorkerReady {
  readonly type: 'ready'
}
