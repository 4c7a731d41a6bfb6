import { createButton } from '../dom/elements.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { drawIcon } from '../editor/icons.ts'
import { loadPart, messageOf } from '../i18n/load-part.ts'

const LINES = 'M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5'

/** Creates the button that toggles fullscreen. */
export function createFullscreenButton(context: EditorContext): HTMLButtonElement {
  const { notice, strings } = context
  const button = createButton('', 'md-editor-button', async () => {
    try {
      const { toggleFullscreen } = await loadPart(() => import('./fullscreen.ts'), strings)
      if (!context.signal.aborted) toggleFullscreen(context, button)
    } catch (error) {
      notice.fail(messageOf(error), null)
    }
  })
  button.setAttribute('aria-label', strings.fullscreen)
  button.setAttribute('aria-pressed', 'false')
  button.title = strings.fullscreen
  button.append(drawIcon(LINES))
  // Keeps the focus and the selection in the text.
  button.addEventListener('mousedown', (event) => event.preventDefault())
  return button
}
