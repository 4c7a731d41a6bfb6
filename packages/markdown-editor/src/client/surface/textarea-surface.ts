import type { Edit, TextState } from '../commands/edit.ts'
import { trustHtml } from '../dom/trusted-types.ts'

/** The text and the selection of a textarea. */
export function readTextarea(textarea: HTMLTextAreaElement): TextState {
  const { value, selectionStart, selectionEnd } = textarea
  return { text: value, selectionStart, selectionEnd }
}

/**
 * Changes a textarea as if the user had typed: one `input` event, and one step of the browser's own undo history if the
 * textarea has the focus. Without it, the change is made all the same, but the history ends there.
 *
 * @returns false when the textarea takes no change: read-only, disabled, or without room
 */
export function editTextarea(textarea: HTMLTextAreaElement, edit: Edit): boolean {
  const { start, end, insert, selectionStart, selectionEnd } = edit
  if (!isEditable(textarea)) return false
  if (start !== end || insert !== '') {
    const before = textarea.value
    const after = before.slice(0, start) + insert + before.slice(end)
    if (textarea.maxLength >= 0 && after.length > Math.max(textarea.maxLength, before.length)) return false
    // Moving the caret by script, before and after, keeps the browser from joining this step with typing.
    textarea.setSelectionRange(start, end)
    if (hasFocus(textarea)) replaceNatively(insert)
    if (textarea.value !== after) replacePlainly(textarea, after)
  }
  textarea.setSelectionRange(selectionStart, selectionEnd)
  return true
}

/** True when the user may change the textarea. */
export function isEditable(textarea: HTMLTextAreaElement): boolean {
  return !textarea.readOnly && !textarea.matches(':disabled')
}

/** True when typing goes to the textarea. */
export function hasFocus(textarea: HTMLTextAreaElement): boolean {
  return (textarea.getRootNode() as Document | ShadowRoot).activeElement === textarea
}

function replaceNatively(insert: string): void {
  if (insert === '') {
    document.execCommand('delete')
  } else if (!insert.includes('\n') || !insertLines(insert)) {
    document.execCommand('insertText', false, insert)
  }
}

/** In Chromium `insertText` costs a layout for each line; `insertHTML` costs one. Firefox refuses it in a textarea. */
function insertLines(text: string): boolean {
  try {
    const escaped = text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    return document.execCommand('insertHTML', false, trustHtml(escaped))
  } catch {
    return false // Trusted Types without our policy.
  }
}

function replacePlainly(textarea: HTMLTextAreaElement, text: string): void {
  textarea.value = text
  textarea.dispatchEvent(new Event('input', { bubbles: true }))
}
