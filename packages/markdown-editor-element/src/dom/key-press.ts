/** The keys of an event that say which shortcut it is. */
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
 * A letter or digit as a shortcut names it, whatever Shift and Caps Lock make of it; other keys as
 * they call themselves.
 */
export function nameOfKey(key: string, code: string): string {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase()
  return /^(?:Key|Digit)(.)$/.exec(code)?.[1] ?? (key === '>' || code === 'Period' ? '.' : key)
}

/** Whether Command is the key for commands. */
export function isApple(): boolean {
  return /^(?:Mac|iP)/.test(navigator.platform)
}
