type Encoding = (text: string) => string

const each = (text: string, encode: (code: number, index: number) => string): string =>
  Array.from(text, (character, index) => encode(character.codePointAt(0) ?? 0, index)).join('')
const hex = (code: number): string => code.toString(16)

const named: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '&': '&amp;',
  ':': '&colon;',
  '(': '&lpar;',
  ')': '&rpar;',
  '/': '&sol;',
  '=': '&equals;',
  ';': '&semi;',
  ',': '&comma;',
  '\n': '&NewLine;',
  '\t': '&Tab;',
}
const toNamed: Encoding = (text) =>
  text.replace(/[<>"'&:()/=;,\n\t]/g, (character) => named[character] ?? '')

/**
 * Encodings of a text. They are dangerous if the renderer decodes a text once too often, or checks
 * a text before it is decoded.
 */
export const encodings: Readonly<Record<string, Encoding>> = {
  'decimal references': (text) => each(text, (code) => `&#${code};`),
  'padded decimal references without semicolon': (text) =>
    each(text, (code) => `&#${String(code).padStart(7, '0')}`),
  'hexadecimal references': (text) => each(text, (code) => `&#x${hex(code)};`),
  'hexadecimal references without semicolon': (text) =>
    each(text, (code) => `&#X${hex(code).toUpperCase()}`),
  'named references': toNamed,
  'named references, twice': (text) => toNamed(toNamed(text)),
  'decimal references, twice': (text) => each(text, (code) => `&amp;#${code};`),
  'a reference for every second character': (text) =>
    each(text, (code, index) => (index % 2 ? `&#${code};` : String.fromCodePoint(code))),
  percent: (text) =>
    each(text, (code) =>
      code < 128 ? `%${hex(code).padStart(2, '0')}` : String.fromCodePoint(code),
    ),
  'percent, twice': (text) =>
    text.replace(/[<>"':()]/g, (character) => `%25${hex(character.charCodeAt(0))}`),
  'backslash escapes': (text) => text.replace(/[!-/:-@[-`{-~]/g, '\\$&'),
  'script escapes': (text) =>
    text.replace(/[<>"':()]/g, (character) => `\\x${hex(character.charCodeAt(0))}`),
  'swapped case': (text) =>
    each(text, (code, index) => swapCase(String.fromCodePoint(code), index)),
  'wide forms': (text) =>
    text.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0)),
  'NUL in between': (text) => each(text, (code) => `${String.fromCodePoint(code)}\0`),
  'tabs in between': (text) => text.replace(/[a-z](?=[a-z])/gi, '$&\t'),
  'soft hyphens in between': (text) => text.replace(/[a-z](?=[a-z])/gi, '$&\u00ad'),
  'UTF-7': (text) =>
    text.replaceAll('<', '+ADw-').replaceAll('>', '+AD4-').replaceAll('"', '+ACI-'),
  'overlong bytes': (text) => text.replaceAll('<', '\u00c0\u00bc').replaceAll('>', '\u00c0\u00be'),
  'a byte order mark before it': (text) => `\ufeff${text}`,
  'right to left': (text) => `\u202e${text}\u202c`,
  'lone surrogates around it': (text) => `\ud800${text}\udc00`,
  'a long value before it': (text) => `${'a'.repeat(5000)}${text}`,
}

function swapCase(character: string, index: number): string {
  return index % 2 ? character.toUpperCase() : character.toLowerCase()
}
