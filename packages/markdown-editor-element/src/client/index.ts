export type { Mode, SurfaceChoice, Theme } from '../contract/choices.ts'
export type { ToolbarButton } from '../contract/toolbar.ts'
export {
  isTextCommand,
  TEXT_COMMANDS,
  type TextCommand,
  type TextCommandName,
} from './commands/commands.ts'
export { applyEdit, type Command, type Edit, editBetween, type TextState } from './commands/edit.ts'
export { indentLines, moveLinesDown, moveLinesUp, outdentLines } from './commands/indent.ts'
export { type EmojiItem, emojiCompletion } from './completion/emoji.ts'
export type { CompletionItem, CompletionProvider } from './completion/provider.ts'
export type { MarkdownEditorElementEventMap } from './element-base.ts'
export { MarkdownEditorElement } from './markdown-editor-element.ts'
export type { RequestDetail } from './requests/announce-request.ts'
export type { AllStrings, EditorStrings, Locale, LocaleWords } from './strings/strings.ts'
export { SHORTCUTS, type ShortcutName } from './toolbar/shortcuts.ts'
export type {
  UploadDetail,
  UploadErrorDetail,
  UploadEvents,
  UploadSuccessDetail,
} from './uploads/upload-events.ts'
export { continueLine, removeMarker } from './writing/continue.ts'
