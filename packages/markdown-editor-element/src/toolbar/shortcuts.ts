import type { TextCommandName } from '../commands/commands.ts'
import type { ToolbarButton } from '../contract/toolbar.ts'
import { isApple, nameOfKey } from '../dom/key-press.ts'

/** The action of a shortcut: a command, or an action of the editor. */
export type ShortcutName = ToolbarButton | TextCommandName | 'help' | 'modes' | 'submit' | 'toolbar'

/** `Mod` is Command on Apple devices and Ctrl elsewhere. The surface handles undo and redo. */
export const SHORTCUTS: readonly (readonly [name: ShortcutName, keys: string])[] = [
  ['bold', 'Mod+B'],
  ['italic', 'Mod+I'],
  ['strikethrough', 'Mod+Shift+X'],
  ['code', 'Mod+E'],
  ['link', 'Mod+K'],
  ['quote', 'Mod+Shift+.'],
  ['ordered-list', 'Mod+Shift+7'],
  ['unordered-list', 'Mod+Shift+8'],
  ['task-list', 'Mod+Shift+9'],
  ['heading-1', 'Mod+Alt+1'],
  ['heading-2', 'Mod+Alt+2'],
  ['heading-3', 'Mod+Alt+3'],
  ['heading-4', 'Mod+Alt+4'],
  ['heading-5', 'Mod+Alt+5'],
  ['heading-6', 'Mod+Alt+6'],
  ['toolbar', 'Alt+F10'],
  ['modes', 'Mod+Alt+P'],
  ['submit', 'Mod+Enter'],
  ['help', 'F1'],
]

/** Returns the action of a key. Digits and non-Latin letters count by their position. */
export function shortcutOf(event: KeyboardEvent, apple: boolean = isApple()): ShortcutName | null {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event
  // The key only types a character.
  if (key.length === 1 && !ctrlKey && !metaKey && !altKey) return null
  // On a Mac, Ctrl combinations edit text (Ctrl+K cuts), so only Command begins shortcuts.
  const [mod, other] = apple ? [metaKey, ctrlKey] : [ctrlKey, metaKey]
  if (event.isComposing || other) return null
  // AltGr types characters. On Windows, browsers report AltGr as Ctrl and Alt. On a Mac, Firefox
  // reports Option as AltGr.
  if (!apple && event.getModifierState('AltGraph')) return null
  const named = nameOfKey(key, code)
  if (mod && altKey && !apple && key.toUpperCase() !== named) return null
  const keys = `${mod ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${shiftKey ? 'Shift+' : ''}${named}`
  return SHORTCUTS.find((shortcut) => shortcut[1] === keys)?.[0] ?? null
}

/** Returns the keys of an action in the format of `aria-keyshortcuts`, or null. */
export function ariaKeysOf(name: ShortcutName | null): string | null {
  return keysFor(name).replace('Mod', isApple() ? 'Meta' : 'Control') || null
}

/** Returns the keys of an action as tooltips and the help show them, or `''`. */
export function keysOf(name: ShortcutName | null): string {
  return displayKeys(keysFor(name))
}

/** Returns keys such as `Mod+Shift+Z` as this platform shows them. */
export function displayKeys(keys: string): string {
  if (!isApple()) return keys.replace('Mod', 'Ctrl')
  return keys.replace('Mod+', '⌘').replace('Alt+', '⌥').replace('Shift+', '⇧')
}

function keysFor(name: ShortcutName | null): string {
  return SHORTCUTS.find((shortcut) => shortcut[0] === name)?.[1] ?? ''
}
