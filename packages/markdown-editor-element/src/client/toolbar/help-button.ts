import { createButton } from '../dom/elements.ts'
import type { EditorStrings } from '../strings/strings.ts'
import { drawIcon } from './icons.ts'

const LINES =
  'M12 3.5a8.5 8.5 0 1 1-.01 0M9.6 9.6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.2 1-1.2 2M12 16.6h.01'

/** The button that explains the keys and the markdown. */
export function createHelpButton({ help }: EditorStrings, onClick: () => void): HTMLButtonElement {
  const button = createButton('', 'md-editor-button', onClick)
  button.setAttribute('aria-label', help)
  button.setAttribute('aria-keyshortcuts', 'F1')
  button.title = `${help} (F1)`
  button.append(drawIcon(LINES))
  return button
}
