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

/**
 * Finds every media id that a text mentions, in lower case. Lenient, because what it finds protects files: in code,
 * comments and prose, in upper case, percent-encoded, as numeric character references, and behind any escape.
 */
export function findMediaIds(text: string): Set<string> {
  const ids = new Set<string>()
  // Decoding may also turn an escape in front of an id into a letter: what the text says as it stands counts too.
  for (const form of new Set([text, decodeCharacters(text)])) {
    for (const match of form.matchAll(mention)) ids.add(`m${match[1]}`.toLowerCase())
  }
  return ids
}

/** Decodes what may stand for the characters of an id; all else stays, for nothing else is looked for. */
function decodeCharacters(text: string): string {
  let decoded = text
  if (decoded.includes('&#')) {
    decoded = decoded.replace(/&#(?:0{0,5}([0-9]{2,3})|x0{0,4}([0-9a-f]{2}));/gi, (_, decimal, hexadecimal) =>
      String.fromCharCode(decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16)),
    )
  }
  if (decoded.includes('%')) {
    decoded = decoded.replace(/%([3-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return decoded
}
