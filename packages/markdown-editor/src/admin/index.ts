export {
  type MarkdownEditorAdmin,
  MarkdownEditorAdminMixin,
  type MarkdownEditorAdminStatics,
  type ModelAdminClass,
} from './markdown-editor-admin-mixin.ts'
export { type AdminField, ModelAdmin } from './model-admin.ts'
