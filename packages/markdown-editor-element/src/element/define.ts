// The script that pages load. It defines `<markdown-editor>`.
import { MarkdownEditorElement } from './markdown-editor-element.ts'

MarkdownEditorElement.define()
