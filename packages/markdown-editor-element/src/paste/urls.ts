/**
 * Returns the address of a pasted link or image without our own origin, or null if it is unsafe
 * or relative.
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

/** Writes a URL as the destination of a link. Balanced parentheses stay. */
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

/** Writes a code span with enough back quotes. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(longestTicks(text) + 1)
  const isStripped = text.startsWith(' ') && text.endsWith(' ') && /[^ ]/.test(text)
  const pad = isStripped || /^`|`$/.test(text) ? ' ' : ''
  return fence + pad + text + pad + fence
}

/** The length of the longest run of back quotes. */
export function longestTicks(text: string): number {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  return longest
}

/** Writes an image. */
export function imageMarkdown(url: string, alt: string): string {
  return `![${alt.replace(/[\\`*_[\]<>&~^=!]/g, '\\$&')}](${toDestination(url)})`
}
