import { type QuillgateError, serverError } from '@quillgate/server/core'
import { isJsonType } from '../../types/media-types.ts'

// Matches tags that make a browser treat a text as HTML (WHATWG MIME Sniffing, 7.1), and other tags
// that can run scripts.
const PAGE =
  /^<(?:!doctype|\?(?:xml|php|=)|%|\/?(?:html|head|title|base|meta|link|style|script|body|iframe|frameset|object|embed|svg|math|form|template|input)(?=[\s/>]|$))/i

// Matches other HTML tags. Markdown may begin with these tags.
const FRAGMENT = /^<(?:!--|\/?(?:img|video|audio|h[1-6]|div|span|font|table|a|b|br|p)(?=[\s/>]|$))/i

// Matches the signatures of other formats that consist of text. These files are not plain text.
const OTHER_FORMATS = /^(?:%PDF-|%!PS|\{\\rtf)/

// Matches bytes that no text contains (WHATWG MIME Sniffing, "binary data byte").
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** Returns true if the first bytes of a file may belong to this text type. */
export function beginsAsText(type: string, head: Uint8Array, whole: boolean): boolean {
  if (isJsonType(type)) return beginsAsJson(head, whole)
  const beginning = beginningOf(head)
  if (BINARY.test(beginning) || PAGE.test(beginning) || OTHER_FORMATS.test(beginning)) return false
  return type === 'text/markdown' || !FRAGMENT.test(beginning)
}

/** Returns true if a file begins with HTML, XML, PHP or ASP. */
export function beginsWithMarkup(head: Uint8Array): boolean {
  const beginning = beginningOf(head)
  return PAGE.test(beginning) || FRAGMENT.test(beginning)
}

/**
 * Yields the chunks of a text. The text can be in UTF-8, in UTF-16 with a byte order mark, or in
 * any encoding that extends ASCII. JSON must be in UTF-8.
 *
 * @throws QuillgateError 415 `unsupported_media_type` if the body is not text
 */
export async function* textOnly(
  body: AsyncIterable<Uint8Array>,
  type: string,
  head: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const encoding = isJsonType(type) ? 'utf-8' : (utf16Of(head) ?? 'latin1')
  const decoder = new TextDecoder(encoding, { fatal: true })
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch (cause) {
      throw notText(type, encoding, cause)
    }
  }
  for await (const chunk of body) {
    if (BINARY.test(decode(chunk))) throw notText(type, encoding)
    yield chunk
  }
  decode()
}

function beginsAsJson(head: Uint8Array, whole: boolean): boolean {
  const beginning = new TextDecoder().decode(head).trimStart()
  if (!whole) return /^[[{]/.test(beginning)
  try {
    JSON.parse(beginning)
    return true
  } catch {
    return false
  }
}

function beginningOf(head: Uint8Array): string {
  return new TextDecoder(utf16Of(head) ?? 'utf-8').decode(head).trimStart()
}

function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null
}

function notText(type: string, encoding: string, cause?: unknown): QuillgateError {
  const expected = encoding === 'utf-8' ? 'text in UTF-8' : 'text without control characters'
  return serverError('unsupported_media_type', `The file is not ${type}. It must be ${expected}.`, {
    cause,
  })
}
