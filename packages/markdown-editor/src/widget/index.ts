export type {
  Mode,
  SurfaceChoice,
  Theme,
  ToolbarButton,
  ToolbarItem,
} from '@quillgate/markdown-editor-element/contract'
export type { Attributes, AttributeValue } from './attributes.ts'
export { renderSaved, type WidgetDraft } from './draft.ts'
export { Input } from './input.ts'
export {
  MarkdownEditorWidget,
  type MarkdownEditorWidgetOptions,
  WIDGET_DEFAULTS,
  type WidgetDefaults,
  type WidgetSource,
} from './markdown-editor-widget.ts'
export { renderMedia, type WidgetMedia } from './media.ts'
export { type FormWidget, type SubmittedData, Textarea } from './textarea.ts'
