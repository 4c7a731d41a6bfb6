import type { DetailedHTMLProps, HTMLAttributes } from 'react'
import type { EditorAttribute, Mode, SurfaceChoice, Theme } from '../contract/attributes.ts'
import type {
  MarkdownEditorElement,
  MarkdownEditorElementEventMap,
  UploadEvents,
} from '../element/index.ts'

type ElementProperties = DetailedHTMLProps<
  HTMLAttributes<MarkdownEditorElement>,
  MarkdownEditorElement
>

/** React 19 accepts event listeners for custom elements: `on` followed by the event name. */
type EventAttributes = {
  [Type in 'ready' | 'request' | keyof UploadEvents as `on${Type}`]?:
    | ((event: MarkdownEditorElementEventMap[Type]) => void)
    | undefined
}

type TextAttributes = {
  [Name in Exclude<EditorAttribute, 'surface' | 'mode' | 'theme'>]?: string | number | undefined
}

/** The attributes of `<markdown-editor>` in TSX. */
export interface MarkdownEditorAttributes
  extends Omit<ElementProperties, EditorAttribute>,
    EventAttributes,
    TextAttributes {
  /** React 18 does not support `className` on custom elements. */
  class?: string | undefined
  defer?: '' | undefined
  surface?: SurfaceChoice | undefined
  mode?: Mode | undefined
  theme?: Theme | undefined
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'markdown-editor': MarkdownEditorAttributes
    }
  }
}
