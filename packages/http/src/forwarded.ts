import { type ParsedAddress, parseAddress } from './address.ts'

/** What one proxy said about the request that it got. Null: it said nothing, or nothing that we understand. */
export interface Hop {
  readonly address: ParsedAddress | null
  readonly proto: string | null
  readonly host: string | null
}

const MAX_NODE_LENGTH = 100
// The port is a number, or in `Forwarded` also an obfuscated name (RFC 7239 §6.3).
const NODE = /^(?:\[([^\]]*:[^\]]*)\]|([0-9.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/
// RFC 7239 §4, but unquoted values may hold `:` and brackets, for many proxies forget the quotes.
const PAIR = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;\\]+))$/

/** The hops of an `X-Forwarded-For` header, nearest first: the last entry is by the proxy that talked to us. */
export function hopsFromXForwardedFor(header: string): Hop[] {
  return splitList(header)
    .map((entry) => ({ address: parseNode(entry), proto: null, host: null }))
    .reverse()
}

/**
 * The hops of a `Forwarded` header (RFC 7239), nearest first. A header that breaks the grammar anywhere has no hops:
 * an unpaired quote at the client's end could otherwise swallow what our own proxy wrote behind it.
 */
export function hopsFromForwarded(header: string): Hop[] {
  const elements = splitOutsideQuotes(header, ',')?.map(parseElement)
  return elements?.every((hop) => hop !== null) ? elements.reverse() : []
}

/** Splits a comma-separated header without quotes. */
export function splitList(header: string): string[] {
  return header.split(',').map((entry) => entry.trim())
}

/** Reads an address as proxies write it: IPv4, IPv6 bare or in brackets, the first and the last also with a port. */
export function parseNode(text: string): ParsedAddress | null {
  if (text.length > MAX_NODE_LENGTH) return null
  const match = NODE.exec(text)
  return parseAddress(match?.[1] ?? match?.[2] ?? text)
}

function parseElement(element: string): Hop | null {
  const parameters = new Map<string, string>()
  for (const pair of splitOutsideQuotes(element, ';') ?? []) {
    const [matched, name = '', quoted, bare = ''] = PAIR.exec(pair) ?? []
    const key = name.toLowerCase()
    if (matched === undefined || parameters.has(key)) return null
    parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare)
  }
  return {
    address: parseNode(parameters.get('for') ?? ''),
    proto: parameters.get('proto') ?? null,
    host: parameters.get('host') ?? null,
  }
}

/** Splits and trims; null when a quote stays open. */
function splitOutsideQuotes(text: string, separator: string): string[] | null {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (quoted && character === '\\') index++
    else if (character === '"') quoted = !quoted
    else if (!quoted && character === separator) {
      parts.push(text.slice(start, index).trim())
      start = index + 1
    }
  }
  return quoted ? null : [...parts, text.slice(start).trim()]
}
