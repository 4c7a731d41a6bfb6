export type { EditorOptions, Mode, SurfaceChoice, Theme } from '../contract/attributes.ts'
export type { ToolbarItem } from '../contract/toolbar.ts'
export type {
  CompletionItem,
  CompletionProvider,
  MarkdownEditorElement,
  RequestDetail,
  UploadDetail,
  UploadErrorDetail,
  UploadSuccessDetail,
} from '../element/index.ts'
export { MarkdownEditor, type MarkdownEditorProps } from './markdown-editor.ts'
