import type { DetailedHTMLProps, HTMLAttributes } from 'react'
import type { Mode, SurfaceChoice, Theme } from '../contract/choices.ts'
import type {
  MarkdownEditorElement,
  MarkdownEditorElementEventMap,
  RequestDetail,
  UploadEvents,
} from '../element/index.ts'

type ElementProperties = DetailedHTMLProps<
  HTMLAttributes<MarkdownEditorElement>,
  MarkdownEditorElement
>

/** Attributes that listen, as React writes them for custom elements: `on` before the name of the event. */
type EventAttributes = {
  [Type in 'ready' | keyof UploadEvents as `on${Type}`]?:
    | ((event: MarkdownEditorElementEventMap[Type]) => void)
    | undefined
}

/** The attributes of `<markdown-editor>` in TSX, for those who write the element themselves. */
export interface MarkdownEditorAttributes extends ElementProperties, EventAttributes {
  /** React 18 knows no `className` of custom elements. */
  class?: string | undefined
  toolbar?: string | undefined
  'upload-url'?: string | undefined
  'finalize-url'?: string | undefined
  'temp-url'?: string | undefined
  'upload-types'?: string | undefined
  'max-upload-size'?: number | string | undefined
  'embed-hosts'?: string | undefined
  'highlight-languages'?: string | undefined
  'render-options'?: string | undefined
  'preview-worker'?: string | undefined
  'preview-differs'?: '' | undefined
  surface?: SurfaceChoice | undefined
  mode?: Mode | undefined
  locale?: string | undefined
  draft?: string | undefined
  'draft-user'?: string | undefined
  'draft-max-age'?: number | string | undefined
  defer?: '' | undefined
  height?: number | string | undefined
  theme?: Theme | undefined
  /** React 19 listens to events of custom elements. */
  onrequest?: ((event: CustomEvent<RequestDetail>) => void) | undefined
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'markdown-editor': MarkdownEditorAttributes
    }
  }
}
