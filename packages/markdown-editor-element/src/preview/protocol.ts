import type { RenderPatch } from '@quillgate/markdown/browser'
import type { PreviewSettings } from '../editor/read-settings.ts'
import type { TextChange } from '../surface/surface.ts'

/** A request to the Worker. A document has at most one `open` or `render` in progress. */
export type PreviewRequest =
  | { readonly type: 'open'; readonly id: number; readonly settings: PreviewSettings }
  | { readonly type: 'render'; readonly id: number; readonly text: string }
  | { readonly type: 'render'; readonly id: number; readonly changes: readonly TextChange[] }
  | { readonly type: 'close'; readonly id: number }

/** An answer of the Worker. A `failed` document is closed; a `loading` one answers again later. */
export type PreviewAnswer =
  | { readonly type: 'opened'; readonly id: number }
  | { readonly type: 'loading'; readonly id: number }
  | { readonly type: 'patch'; readonly id: number; readonly patch: RenderPatch }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }

/** A Worker's first word: it has started. */
export interface WorkerReady {
  readonly type: 'ready'
}
