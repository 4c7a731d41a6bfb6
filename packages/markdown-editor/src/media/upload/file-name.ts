import { extensionsOf } from '../../types/media-types.ts'

/** Longest name that is shown, in UTF-16 units; the ledger's column takes no more. */
const MAX_DISPLAY_LENGTH = 255

/** The longest name in a key, with its extension. */
const MAX_KEY_NAME_LENGTH = 100
const MAX_KEY_NAME_BYTES = 200

const FALLBACK = 'file'

// Control characters, line separators, and characters that reorder or hide text.
const UNSEEN =
  /[\p{Cc}\u2028\u2029\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

// Joiners, soft hyphens and fillers, which scripts need within a name, are no name by themselves.
const NOTHING_SEEN = /^[.\p{M}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/**
 * Returns the name of an uploaded file for people: without a path and without invisible characters.
 * It is still hostile text, so escape it. Never empty.
 *
 * @param sent what the client called the file
 * @example
 * toDisplayName('C:\\Users\\ada\\фото.png') // 'фото.png'
 */
export function toDisplayName(sent: string): string {
  const component = unescapeFormName(sent).split(/[/\\]/).at(-1) ?? ''
  // Normalized after the removal, which may bring a letter and its mark together. By a key that is
  // not in normal form C, a URL that a browser wrote would not find the file.
  const name = component.toWellFormed().replaceAll(UNSEEN, '').normalize('NFC').trim()
  const bounded = takeCharacters(name, (taken) => taken.length <= MAX_DISPLAY_LENGTH)
  return NOTHING_SEEN.test(bounded) ? FALLBACK : bounded
}

/**
 * Returns the name of an uploaded file in its key and URL: letters and digits of every script, `-`
 * and `_`, and the extension. Inner dots become `_`, so that no server takes `evil.php.png` for a
 * script. Never empty.
 *
 * @param displayName from {@link toDisplayName}
 * @param type canonical media type
 * @param extension without a dot
 * @example
 * toKeyName('évil.php.PNG', 'image/png', 'png') // 'évil_php.png'
 */
export function toKeyName(displayName: string, type: string, extension: string): string {
  const stem = withoutExtension(displayName, [extension, ...extensionsOf(type)])
  const safe = stem
    .replaceAll(/[^\p{L}\p{M}\p{N}-]+/gu, '_')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
    .replace(/^(\d+x\d+)-/, '$1_') // It would look like the size of the picture.
  const tail = `.${extension}`
  const fits = (taken: string): boolean =>
    taken.length + tail.length <= MAX_KEY_NAME_LENGTH &&
    Buffer.byteLength(taken + tail) <= MAX_KEY_NAME_BYTES
  return `${takeCharacters(safe, fits) || FALLBACK}${tail}`
}

/** Returns the name under which a browser saves a file: its display name, with its key's extension. */
export function toDownloadName(displayName: string, type: string, key: string): string {
  const extension = key.slice(key.lastIndexOf('.') + 1)
  const isRight = withoutExtension(displayName, [extension, ...extensionsOf(type)]) !== displayName
  return isRight ? displayName : `${displayName}.${extension}`
}

/** Browsers write only these three as percent codes (HTML, multipart/form-data encoding algorithm). */
function unescapeFormName(sent: string): string {
  return sent.replaceAll(/%(?:22|0a|0d)/gi, (code) => (code === '%22' ? '"' : ' '))
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
