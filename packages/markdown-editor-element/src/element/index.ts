export type { Mode, SurfaceChoice, Theme } from '../contract/attributes.ts'
export type { CompletionItem, CompletionProvider } from '../dialogs/completion/provider.ts'
export type {
  MarkdownEditorElementEventMap,
  UploadDetail,
  UploadErrorDetail,
  UploadEvents,
  UploadSuccessDetail,
} from '../editor/element-events.ts'
export type { RequestDetail } from '../editor/requests.ts'
export type { AllStrings, EditorStrings, Locale } from '../i18n/strings.ts'
export { MarkdownEditorElement } from './markdown-editor-element.ts'
