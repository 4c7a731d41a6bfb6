// Crockford's base 32 in lower case: no i, l, o or u, so that an id is never misread and rarely spells a word.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const randomCharacters = 26
const wholeId = /^m[0-9a-hjkmnp-tv-z]{26}$/
// Within a longer word it is no id, but for what may be an escape: `%2f`, `%252f`, `\n`, `\u002f`, `&#47`, `&#x2f`. The
// look-ahead consumes nothing, so that nothing hides an id that begins in front of it.
const mention =
  /(?:(?<![0-9a-z])|(?<=%(?:25){0,3}[0-9a-f]{2}|\\(?:[a-z]|x[0-9a-f]{2}|u[0-9a-f]{4})|&#x?[0-9a-f]{1,7}))m(?=([0-9a-hjkmnp-tv-z]{26}))/gi

/**
 * Makes a media id: the letter `m` and 26 random characters of Crockford's base 32 in lower case, 130 bits.
 *
 * @param random gives so many random bytes of cryptographic quality.
 * @throws RangeError when `random` gives too few bytes.
 * @example createMediaId((bytes) => crypto.getRandomValues(new Uint8Array(bytes)))
 */
export function createMediaId(random: (bytes: number) => Uint8Array): string {
  const bytes = random(Math.ceil((randomCharacters * 5) / 8))
  let id = 'm'
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    held += 8
    while (held >= 5 && id.length <= randomCharacters) {
      held -= 5
      id += alphabet[(bits >> held) & 31]
    }
    bits &= (1 << held) - 1
  }
  if (!isMediaId(id)) throw new RangeError('random must give as many bytes as it is asked for')
  return id
}

/** Whether a value is a media id as {@link createMediaId} makes them. Upper case is not. */
export function isMediaId(value: unknown): value is string {
  return typeof value === 'string' && wholeId.test(value)
}

/** The media id in a storage key of ours, as in `md-editor/tmp/<id>-photo.png`; empty in any other key. */
export function mediaIdOfKey(key: string): string {
  return /([^/-]+)-[^/]*$/.exec(key)?.[1] ?? ''
}

/**
 * Finds every media id that a text mentions, in lower case. Lenient, because what it finds protects files: in code,
 * comments and prose, in upper case, percent-encoded, as character references, behind any escape, and with line breaks
 * and tabs within, which browsers drop from a URL.
 */
export function findMediaIds(text: string): Set<string> {
  const ids = new Set<string>()
  const decoded = decodeReferences(text)
  // Decoding may also turn an escape in front of an id into a letter, and joining put a word there: what the text says
  // as it stands counts too.
  for (const form of new Set([text, decodePercent(decoded), decodePercent(joinLines(decoded))])) {
    for (const match of form.matchAll(mention)) ids.add(`m${match[1]}`.toLowerCase())
  }
  return ids
}

const characterReference =
  /&(?:#(?:0*([0-9]{1,3})(?![0-9])|x0*([0-9a-f]{1,2})(?![0-9a-f]));?|(percnt|fjlig|tab|newline);)/gi
/** The references by name that stand for something within an id, for a percent sign, or for what browsers drop. */
const named: ReadonlyMap<string, string> = new Map([
  ['percnt', '%'],
  ['fjlig', 'fj'],
  ['tab', '\t'],
  ['newline', '\n'],
])

/** Decodes the character references that may stand within an id; all others stay, for nothing else is looked for. */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(characterReference, (_, decimal, hexadecimal, name) =>
    name
      ? (named.get(name.toLowerCase()) ?? '')
      : String.fromCharCode(Number(decimal ?? `0x${hexadecimal}`)),
  )
}

/** Decodes percent codes of letters and digits; Markdown may have a backslash in front. */
function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(/\\?%([3-7][0-9a-f])/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/** Takes out line breaks and tabs, with the marks of quotes and the indentation behind them. */
function joinLines(text: string): string {
  return text.replace(/[\t\n\r]+[\t >]*/g, '')
}
