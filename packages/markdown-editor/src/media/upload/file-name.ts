import { extensionsOf } from '../../types/media-types.ts'

/** The maximum length of the column `name` in the ledger, in UTF-16 units. */
const MAX_DISPLAY_LENGTH = 255

const MAX_KEY_NAME_LENGTH = 100
const MAX_KEY_NAME_BYTES = 200

const FALLBACK = 'file'

// Matches control characters, line separators, and characters that reorder or hide text.
const UNSEEN =
  /[\p{Cc}\u2028\u2029\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

// Matches a name that has only invisible characters, such as joiners, soft hyphens and fillers.
// Some languages need these characters, but a name must also have visible characters.
const NOTHING_SEEN = /^[.\p{M}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/**
 * Returns the name of an uploaded file for display, without a path, control characters, and
 * characters that reorder or hide text. The result is never empty. It is still untrusted text.
 *
 * @example toDisplayName('C:\\Users\\ada\\фото.png') // 'фото.png'
 */
export function toDisplayName(sent: string): string {
  // Browsers percent-encode these characters (HTML, multipart/form-data encoding algorithm).
  const plain = sent.replaceAll(/%(?:22|0a|0d)/gi, (code) => (code === '%22' ? '"' : ' '))
  const component = plain.split(/[/\\]/).at(-1) ?? ''
  // Normalizes to NFC, as in URLs. This is the last step, because the removal of a character may
  // join a letter and a combining mark.
  const name = component.toWellFormed().replaceAll(UNSEEN, '').normalize('NFC').trim()
  const bounded = takeCharacters(name, (taken) => taken.length <= MAX_DISPLAY_LENGTH)
  return NOTHING_SEEN.test(bounded) ? FALLBACK : bounded
}

/**
 * Returns the name of an uploaded file for its key and URL. Inner dots become `_`, so that no
 * server treats `evil.php.png` as a script. The result is never empty.
 *
 * @example toKeyName('évil.php.PNG', 'image/png', 'png') // 'évil_php.png'
 */
export function toKeyName(displayName: string, type: string, extension: string): string {
  const stem = withoutExtension(displayName, [extension, ...extensionsOf(type)])
  const safe = stem
    .replaceAll(/[^\p{L}\p{M}\p{N}-]+/gu, '_')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
    .replace(/^(\d+x\d+)-/, '$1_') // A prefix such as `640x360-` means dimensions.
  const tail = `.${extension}`
  const fits = (taken: string): boolean =>
    taken.length + tail.length <= MAX_KEY_NAME_LENGTH &&
    Buffer.byteLength(taken + tail) <= MAX_KEY_NAME_BYTES
  return `${takeCharacters(safe, fits) || FALLBACK}${tail}`
}

/** Returns the display name. Adds the key's extension if the name has no extension of the type. */
export function toDownloadName(displayName: string, type: string, key: string): string {
  const extension = key.slice(key.lastIndexOf('.') + 1)
  const isRight = withoutExtension(displayName, [extension, ...extensionsOf(type)]) !== displayName
  return isRight ? displayName : `${displayName}.${extension}`
}

function withoutExtension(name: string, extensions: readonly string[]): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 && extensions.includes(name.slice(dot + 1).toLowerCase())
    ? name.slice(0, dot)
    : name
}

function takeCharacters(text: string, fits: (taken: string) => boolean): string {
  if (fits(text)) return text
  let taken = ''
  for (const character of text) {
    if (!fits(taken + character)) break
    taken += character
  }
  return taken
}
