import { isApple } from '../toolbar/shortcuts.ts'

/**
 * Whether the keys for the next mode were pressed: Ctrl+Alt+P, on Apple's machines ⌥⌘P. (Ctrl+Shift+P is a new private
 * window in Firefox, which no page can prevent.)
 */
export function isModeKey(event: KeyboardEvent): boolean {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event
  const modified = isApple() ? metaKey && !ctrlKey : ctrlKey && !metaKey
  // AltGr, which writes letters, is Ctrl and Alt at once on Windows. Apple's Alt writes letters of its own.
  if (!modified || !altKey || shiftKey || event.getModifierState('AltGraph')) return false
  return /^[a-z]$/i.test(key) ? key.toLowerCase() === 'p' : code === 'KeyP'
}
