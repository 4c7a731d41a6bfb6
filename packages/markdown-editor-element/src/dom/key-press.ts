/** The properties of a keyboard event that identify a shortcut. */
export interface KeyPress {
  readonly key: string
  readonly code: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  readonly isComposing: boolean
  getModifierState(key: string): boolean
}

/**
 * Returns the letter or digit of a shortcut, independent of Shift and Caps Lock, or the name of
 * another key.
 */
export function nameOfKey(key: string, code: string): string {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase()
  return /^(?:Key|Digit)(.)$/.exec(code)?.[1] ?? (key === '>' || code === 'Period' ? '.' : key)
}

/** True if shortcuts use the Command key. */
export function isApple(): boolean {
  return /^(?:Mac|iP)/.test(navigator.platform)
}
