import { decodeHTMLAttribute, decodeHTMLStrict } from 'entities/decode'
import { bareAddressUrl } from '../grammar/bare-addresses.ts'
import type { ReferenceKind } from './reference.ts'

const characterReference = '&(?:#(?:x[0-9a-f]{1,6}|[0-9]{1,7})|[a-z][a-z0-9]{1,31});'
const escapes = new RegExp(`\\\\([!-/:-@[-\`{-~])|${characterReference}`, 'gi')

/**
 * What the spelling of a reference means: the URL. Markdown decodes backslash escapes and character references, HTML its
 * character references, an autolink or a bare address nothing. Nothing is percent-encoded.
 */
export function decodeUrl(raw: string, kind: ReferenceKind): string {
  return decode(raw, kind).replaceAll('\0', '\ufffd')
}

function decode(raw: string, kind: ReferenceKind): string {
  switch (kind) {
    case 'autolink':
      return raw
    case 'bare':
      return bareAddressUrl(raw)
    case 'html':
    case 'anchor':
      return decodeHTMLAttribute(raw)
    default:
      return raw.replace(
        escapes,
        (reference, escaped?: string) => escaped ?? decodeCharacter(reference),
      )
  }
}

/** Decodes a character reference as CommonMark does (section 2.5); an unknown name stays as it is. */
function decodeCharacter(reference: string): string {
  if (reference[1] !== '#') return decodeHTMLStrict(reference)
  const isHexadecimal = reference[2] === 'x' || reference[2] === 'X'
  const code = Number.parseInt(reference.slice(isHexadecimal ? 3 : 2), isHexadecimal ? 16 : 10)
  const isValid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isValid ? String.fromCodePoint(code) : '\ufffd'
}
