import { QuillgateError } from '@quillgate/http'
import { isJsonType } from './media-types.ts'

// The tags that make a browser take a text for HTML (WHATWG MIME Sniffing, 7.1), and what carries script besides.
const MARKUP =
  /^<(?:!doctype|!--|\?(?:xml|php|=)|%|\/?(?:html|head|title|base|meta|link|style|script|body|iframe|frameset|object|embed|svg|math|form|template|img|video|audio|input|h[1-6]|div|span|font|table|a|b|br|p)(?=[\s/>]|$))/i

// Formats whose first bytes are letters; a file of theirs is no plain text.
const OTHER_FORMATS = /^(?:%PDF-|%!PS|\{\\rtf)/

// Bytes that no text has (WHATWG MIME Sniffing, "binary data byte").
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** Whether a file without a signature may begin like this, as far as its first bytes tell. */
export function beginsAsText(type: string, head: Uint8Array, whole: boolean): boolean {
  const beginning = new TextDecoder().decode(head).trimStart()
  if (MARKUP.test(beginning) || OTHER_FORMATS.test(beginning)) return false
  return !isJsonType(type) || (whole ? isJson(beginning) : /^[[{]/.test(beginning))
}

/**
 * Passes a body on as long as it is text: UTF-8 (with or without a byte order mark) without control characters other
 * than white space and escape.
 *
 * @throws QuillgateError 415 `unsupported_media_type` from the iteration, at the first byte that is none
 */
export async function* textOnly(body: AsyncIterable<Uint8Array>, type: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch (cause) {
      throw notText(type, cause)
    }
  }
  for await (const chunk of body) {
    if (BINARY.test(decode(chunk))) throw notText(type)
    yield chunk
  }
  decode()
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function notText(type: string, cause?: unknown): QuillgateError {
  const detail = `The file is not ${type}: it must be text in UTF-8.`
  return new QuillgateError('unsupported_media_type', 415, detail, { cause })
}
