export type { ToolbarItem } from '@quillgate/markdown-editor-element/contract'
export { renderAssets } from './assets.ts'
export type { Attributes } from './attributes.ts'
export { renderSaved } from './draft.ts'
export { Input } from './input.ts'
export {
  MarkdownEditorWidget,
  type MarkdownEditorWidgetOptions,
  WIDGET_DEFAULTS,
  type WidgetDefaults,
} from './markdown-editor-widget.ts'
export { type FormWidget, Textarea } from './textarea.ts'
