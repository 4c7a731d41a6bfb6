/**
 * The address that a link or image of pasted HTML leads to: `http:` and `https:`, for links also `mailto:` and `tel:`.
 * Addresses of the page's own site lose their origin, as those of uploads have none.
 *
 * @param origin - of the page, or `''`
 * @returns null for all others, such as relative addresses, whose base nobody knows
 */
export function safeUrl(value: string, kind: 'link' | 'media', origin: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers leave them out of addresses
  const url = value.trim().replace(/[\u0000-\u001f\u007f]/g, '')
  const schemes =
    kind === 'link' ? /^(?:https?:\/\/[^\s/?#]|mailto:.|tel:.)/i : /^https?:\/\/[^\s/?#]/i
  if (!schemes.test(url) || !URL.canParse(url)) return null
  if (origin === '' || !url.startsWith(`${origin}/`)) return url
  const own = url.slice(origin.length)
  return own.startsWith('//') ? url : own
}

/** A URL as the destination of a link: what would end it is percent-encoded, parentheses in pairs stay. */
export function toDestination(url: string): string {
  const encoded = url
    .replace(/[\s<>\\|]/g, encodeURIComponent)
    .replace(/&(?=#?\w{1,32};)/g, '&amp;')
  return isBalanced(encoded)
    ? encoded
    : encoded.replace(/[()]/g, (found) => (found === '(' ? '%28' : '%29'))
}

function isBalanced(url: string): boolean {
  let open = 0
  let deepest = 0
  for (const character of url) {
    if (character === '(') deepest = Math.max(deepest, ++open)
    if (character === ')' && --open < 0) return false
  }
  return open === 0 && deepest <= 20
}
