export type { Mode, SurfaceChoice, Theme } from '../contract/choices.ts'
export type { ToolbarButton, ToolbarItem } from '../contract/toolbar.ts'
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
