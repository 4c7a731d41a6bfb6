import { createButton, createElement } from '../dom/elements.ts'
import { messageOf } from '../i18n/load-part.ts'
import type { EditorStrings } from '../i18n/strings.ts'

/** Shows why there is no preview, with a button to try again. */
export function showFailure(
  pane: HTMLElement,
  error: unknown,
  strings: EditorStrings,
  retry: () => void,
): void {
  const button = createButton(strings.retry, 'md-editor-action', retry)
  pane.replaceChildren(
    createElement('p', { role: 'alert' }, `${strings.previewFailed(messageOf(error))} `, button),
  )
}

/** Replaces the content of a pane with a hint. */
export function showHint(pane: HTMLElement, hint: string): void {
  pane.replaceChildren(createElement('p', { class: 'md-editor-hint' }, hint))
}
