export type { ToolbarButton, ToolbarItem } from '../contract/toolbar.ts'
export { MarkdownEditor, type MarkdownEditorProps } from './markdown-editor.ts'
