import { invalidRequest } from '../core/errors.ts'

const MAX_DEPTH = 16 // The bodies of our endpoints have at most two levels.
/** Brackets, commas and colons outside of strings. An array of 100 strings has 101. */
const MAX_STRUCTURE = 1000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const BRACE_BIT = 0x20 // `[` and `{` differ in this bit only; so do `]` and `}`.
const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * Returns a function that checks the complexity of one JSON text, chunk by chunk. From a text such
 * as `[[[[…`, `JSON.parse` creates an object for every few bytes, which can take seconds and
 * gigabytes. Strings are cheap, and the syntax is left to `JSON.parse`. Throws 400
 * `invalid_request` at the first byte that exceeds a limit.
 */
export function createJsonShapeCheck(): (bytes: Uint8Array) => void {
  let inString = false
  let isEscaped = false
  let depth = 0
  let structure = 0

  const count = (byte: number): void => {
    const bracket = byte | BRACE_BIT
    if (bracket === OPEN) depth++
    else if (bracket === CLOSE) depth--
    else if (byte !== COMMA && byte !== COLON) return
    structure++
    if (depth > MAX_DEPTH)
      throw invalidRequest(`The JSON body has more than ${MAX_DEPTH} levels. Nest less.`)
    if (structure > MAX_STRUCTURE) {
      throw invalidRequest(
        `The JSON body has more than ${MAX_STRUCTURE} brackets, commas and colons. Send less at once.`,
      )
    }
  }

  return (bytes) => {
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0
      if (!inString) {
        if (byte === QUOTE) inString = true
        else count(byte)
      } else if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) inString = false
    }
  }
}
