const LENGTH = /^(?:0|\d+(?:\.\d+)?(?:px|r?em|ex|ch|r?lh|[sld]?v(?:h|w|min|max)|cm|mm|in|pt|pc))$/i

/**
 * Normalizes a height for CSS. Only a single length passes, so a height cannot contain other CSS.
 *
 * @param value a CSS length (`'300px'`, `'50vh'`), or a number of pixels
 * @returns the length, or null if it is not valid
 */
export function toCssLength(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? `${value}px` : null
  if (typeof value !== 'string') return null
  const length = value.trim()
  return LENGTH.test(length) ? length : null
}
