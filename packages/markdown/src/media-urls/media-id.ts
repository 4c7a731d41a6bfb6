// Crockford's base 32 excludes i, l, o and u, so that ids are not misread and rarely contain words.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const randomCharacters = 26
const wholeId = /^m[0-9a-hjkmnp-tv-z]{26}$/
// An id must not follow a letter or digit, except at the end of an escape: `%2f`, `%252f`, `\n`,
// `\u002f`, `&#47`, `&#x2f`. The look-ahead consumes nothing, so that overlapping ids are found.
const mention =
  /(?:(?<![0-9a-z])|(?<=%(?:25){0,3}[0-9a-f]{2}|\\(?:[a-z]|x[0-9a-f]{2}|u[0-9a-f]{4})|&#x?[0-9a-f]{1,7}))m(?=([0-9a-hjkmnp-tv-z]{26}))/gi

/**
 * Creates a media id: the letter `m` and 26 random characters, 130 bits.
 *
 * @param random - returns the given number of cryptographically secure random bytes
 * @example createMediaId((bytes) => crypto.getRandomValues(new Uint8Array(bytes)))
 */
export function createMediaId(random: (bytes: number) => Uint8Array): string {
  const characters = Array.from(random(randomCharacters), (byte) => alphabet[byte & 31])
  const id = `m${characters.join('')}`
  if (!isMediaId(id)) throw new RangeError('random(n) must return n bytes')
  return id
}

/** Whether a value is a media id as {@link createMediaId} creates it, in lower case. */
export function isMediaId(value: unknown): value is string {
  return typeof value === 'string' && wholeId.test(value)
}

const sizedUrl = /(?:^|\/)m[0-9a-hjkmnp-tv-z]{26}-([1-9]\d{0,4})x([1-9]\d{0,4})-[^/?#]+(?:[?#]|$)/

/** Returns the size in the URL of an uploaded picture, in pixels; null if there is none. */
export function dimensionsOf(url: string): readonly [width: string, height: string] | null {
  const [, width, height] = sizedUrl.exec(url) ?? []
  return width === undefined || height === undefined ? null : [width, height]
}

/**
 * Finds every media id in a text, in lower case. Also finds ids in code, encoded ids, and ids with
 * line breaks (which browsers ignore), because the file of a missed id may be deleted.
 */
export function findMediaIds(text: string): Set<string> {
  const ids = new Set<string>()
  const decoded = decodeReferences(text)
  // Also searches the original text. Decoding or joining lines may put a letter directly before an
  // id, which then is not found.
  for (const form of new Set([text, decodePercent(decoded), decodePercent(joinLines(decoded))])) {
    for (const match of form.matchAll(mention)) ids.add(`m${match[1]}`.toLowerCase())
  }
  return ids
}

const characterReference =
  /&(?:#(?:0*([0-9]{1,3})(?![0-9])|x0*([0-9a-f]{1,2})(?![0-9a-f]));?|(percnt|fjlig|tab|newline);)/gi
// References to characters of an id, to the percent sign, and to characters that browsers ignore.
const named: ReadonlyMap<string, string> = new Map([
  ['percnt', '%'],
  ['fjlig', 'fj'],
  ['tab', '\t'],
  ['newline', '\n'],
])

// All other character references stay unchanged.
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(characterReference, (_, decimal, hexadecimal, name) =>
    name
      ? (named.get(name.toLowerCase()) ?? '')
      : String.fromCharCode(Number(decimal ?? `0x${hexadecimal}`)),
  )
}

// Decodes letters and digits. In Markdown, a backslash may escape the percent sign.
function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(/\\?%([3-7][0-9a-f])/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

// Removes line breaks and tabs, and the quote markers (`>`) and spaces after them.
function joinLines(text: string): string {
  return text.replace(/[\t\n\r]+[\t >]*/g, '')
}
