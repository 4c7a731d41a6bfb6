// The digits of Crockford's base 32, in lower case. They exclude i, l and o, which people misread,
// and u.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const randomCharacters = 26
const wholeId = /^m[0-9a-hjkmnp-tv-z]{26}$/
// A letter or digit directly before an id is allowed only at the end of an escape: `%2f`, `%252f`,
// `\n`, `\u002f`, `&#47`, `&#x2f`. The look-ahead consumes no text, so that the search also finds
// overlapping ids.
const mention =
  /(?:(?<![0-9a-z])|(?<=%(?:25){0,3}[0-9a-f]{2}|\\(?:[a-z]|x[0-9a-f]{2}|u[0-9a-f]{4})|&#x?[0-9a-f]{1,7}))m(?=([0-9a-hjkmnp-tv-z]{26}))/gi

/**
 * Creates a media id: the letter `m` and 26 random characters, 130 bits.
 *
 * @param random - returns the given number of cryptographically secure random bytes
 * @example createMediaId((bytes) => crypto.getRandomValues(new Uint8Array(bytes)))
 */
export function createMediaId(random: (bytes: number) => Uint8Array): string {
  let id = 'm'
  for (const byte of random(randomCharacters)) id += alphabet.charAt(byte & 31)
  if (!isMediaId(id)) throw new RangeError('random(n) must return n bytes')
  return id
}

/** Returns true for a media id in lower case, as {@link createMediaId} creates it. */
export function isMediaId(value: unknown): value is string {
  return typeof value === 'string' && wholeId.test(value)
}

const sizedUrl = /(?:^|\/)m[0-9a-hjkmnp-tv-z]{26}-([1-9]\d{0,4})x([1-9]\d{0,4})-[^/?#]+(?:[?#]|$)/

/** Returns the picture size in a media URL, in pixels. If the URL has no size, returns null. */
export function dimensionsOf(url: string): readonly [width: string, height: string] | null {
  const [, width, height] = sizedUrl.exec(url) ?? []
  return width === undefined || height === undefined ? null : [width, height]
}

/**
 * Finds all media ids in a text and returns them in lower case. Also finds ids in code, encoded
 * ids, and ids with line breaks, which browsers ignore. If an id were missed, its file could be
 * deleted.
 */
export function findMediaIds(text: string): Set<string> {
  const ids = new Set<string>()
  const decoded = decodeReferences(text)
  // Also searches the original text. Decoding or joining lines can put a letter directly before an
  // id, and the search would then miss this id.
  for (const form of new Set([text, decodePercent(decoded), decodePercent(joinLines(decoded))])) {
    for (const match of form.matchAll(mention)) ids.add(`m${match[1]}`.toLowerCase())
  }
  return ids
}

const characterReference =
  /&(?:#(?:0*([0-9]{1,3})(?![0-9])|x0*([0-9a-f]{1,2})(?![0-9a-f]));?|(percnt|fjlig|tab|newline);)/gi
// The named character references that can hide an id. They stand for letters, for the percent sign,
// and for characters that browsers ignore.
const named: ReadonlyMap<string, string> = new Map([
  ['percnt', '%'],
  ['fjlig', 'fj'],
  ['tab', '\t'],
  ['newline', '\n'],
])

function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(characterReference, (_, decimal, hexadecimal, name) =>
    name
      ? (named.get(name.toLowerCase()) ?? '')
      : String.fromCharCode(Number(decimal ?? `0x${hexadecimal}`)),
  )
}

// In Markdown, a backslash may escape the percent sign.
function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(/\\?%([3-7][0-9a-f])/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

// Browsers ignore line breaks and tabs in a URL. In Markdown, quote markers may follow a line
// break.
function joinLines(text: string): string {
  return text.replace(/[\t\n\r]+[\t >]*/g, '')
}
