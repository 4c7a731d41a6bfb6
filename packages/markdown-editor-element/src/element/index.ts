export {
  isTextCommand,
  TEXT_COMMANDS,
  type TextCommand,
  type TextCommandName,
} from '../commands/commands.ts'
export { continueLine, removeMarker } from '../commands/continue.ts'
export {
  applyEdit,
  type Command,
  type Edit,
  editBetween,
  type TextState,
} from '../commands/edit.ts'
export { indentLines, moveLinesDown, moveLinesUp, outdentLines } from '../commands/indent.ts'
export type { Mode, SurfaceChoice, Theme } from '../contract/attributes.ts'
export type { ToolbarButton } from '../contract/toolbar.ts'
export { type EmojiItem, emojiCompletion } from '../dialogs/completion/emoji.ts'
export type { CompletionItem, CompletionProvider } from '../dialogs/completion/provider.ts'
export type { MarkdownEditorElementEventMap } from '../editor/element-base.ts'
export type { RequestDetail } from '../editor/requests/announce-request.ts'
export type {
  UploadDetail,
  UploadErrorDetail,
  UploadEvents,
  UploadSuccessDetail,
} from '../editor/upload-events.ts'
export type { AllStrings, EditorStrings, Locale, LocaleWords } from '../i18n/strings.ts'
export { SHORTCUTS, type ShortcutName } from '../toolbar/shortcuts.ts'
export { MarkdownEditorElement } from './markdown-editor-element.ts'
