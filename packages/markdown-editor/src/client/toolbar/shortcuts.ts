import type { ToolbarButton } from '../../contract/toolbar.ts'

/** The keys of buttons, to be pressed with Ctrl, or with Command on Apple's machines. */
const SHORTCUTS: Readonly<Record<string, ToolbarButton>> = { b: 'bold', i: 'italic', k: 'link', e: 'code' }

/** The button whose keys were pressed, or null. */
export function shortcutOf(event: KeyboardEvent): ToolbarButton | null {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event
  // On a Mac, Ctrl moves the caret: Ctrl+E is the end of the line, Ctrl+K cuts up to it.
  const modified = isApple() ? metaKey && !ctrlKey : ctrlKey && !metaKey
  if (!modified || altKey || shiftKey || isComposing) return null
  // On a keyboard without Latin letters the place of the key counts.
  const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase()
  return (letter !== undefined && SHORTCUTS[letter]) || null
}

/** A button's keys as `aria-keyshortcuts` wants them, or null. */
export function ariaKeysOf(button: ToolbarButton): string | null {
  const letter = letterOf(button)
  return letter === undefined ? null : `${isApple() ? 'Meta' : 'Control'}+${letter}`
}

/** A button's keys as they stand in its tooltip, or null. */
export function keysOf(button: ToolbarButton): string | null {
  const letter = letterOf(button)?.toUpperCase()
  return letter === undefined ? null : isApple() ? `⌘${letter}` : `Ctrl+${letter}`
}

function letterOf(button: ToolbarButton): string | undefined {
  return Object.keys(SHORTCUTS).find((letter) => SHORTCUTS[letter] === button)
}

function isApple(): boolean {
  return /^(?:Mac|iP)/.test(navigator.platform)
}
