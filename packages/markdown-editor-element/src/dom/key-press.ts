/** Returns a letter or digit, independent of Shift and Caps Lock, or the name of another key. */
export function nameOfKey(key: string, code: string): string {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase()
  return /^(?:Key|Digit)(.)$/.exec(code)?.[1] ?? (key === '>' || code === 'Period' ? '.' : key)
}

/** Returns whether the device is from Apple, where shortcuts use the Command key. */
export function isApple(): boolean {
  return /^(?:Mac|iP)/.test(navigator.platform)
}

/** Returns whether the user types on a screen, where keys such as Tab and Ctrl are missing. */
export function hasTouchScreen(): boolean {
  return matchMedia('(pointer: coarse)').matches
}

/** Excludes Ctrl, Alt, Meta and compositions, whose last key has the code 229 in Safari. */
export function isPlainKey(event: KeyboardEvent): boolean {
  const { altKey, ctrlKey, isComposing, keyCode, metaKey } = event
  return !isComposing && keyCode !== 229 && !ctrlKey && !altKey && !metaKey
}

/** Returns the item that Home, End or an arrow key moves to, and prevents the default. */
export function itemByKey<Item>(
  event: KeyboardEvent,
  items: readonly Item[],
  current: Item,
  [back, forward]: readonly [back: string, forward: string],
): Item | undefined {
  const index = items.indexOf(current)
  const indexes = new Map([
    [back, index - 1],
    [forward, index + 1],
    ['Home', 0],
    ['End', -1],
  ])
  const next = indexes.get(event.key)
  if (next === undefined || index === -1 || !isPlainKey(event)) return undefined
  event.preventDefault()
  return items.at(next % items.length)
}

/** Returns the left and right arrow keys in the reading direction of an element. */
export function arrowsAlong(element: Element): readonly [back: string, forward: string] {
  const rtl = getComputedStyle(element).direction === 'rtl'
  return rtl ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight']
}
