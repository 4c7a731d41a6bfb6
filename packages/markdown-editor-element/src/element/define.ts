// The script that pages load: it defines `<markdown-editor>`.
import { MarkdownEditorElement } from './markdown-editor-element.ts'

MarkdownEditorElement.define()
