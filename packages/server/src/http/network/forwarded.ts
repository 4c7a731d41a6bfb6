import { type ParsedAddress, parseAddress } from './address.ts'

/** The information of one proxy about the request that it got. Null: missing or not understood. */
export interface Hop {
  /** Read when it is asked for: of a long chain hardly any is. */
  readonly address: ParsedAddress | null
  readonly proto: string | null
  readonly host: string | null
}

/** The headers in which a proxy may write the client's address. */
export const PROXY_HEADERS = ['x-forwarded-for', 'forwarded'] as const

/** One of {@link PROXY_HEADERS}. */
export type ProxyHeader = (typeof PROXY_HEADERS)[number]

/** The result of walking the hops of a request. */
export interface Walk {
  /** The header that was read. */
  readonly header: ProxyHeader
  /** Its hops, nearest first. */
  readonly hops: readonly Hop[]
  /** The address at which the walk ended. */
  readonly client: ParsedAddress | null
  /** The number of trusted proxies that it passed, including the socket's other end. */
  readonly trusted: number
}

const MAX_NODE_LENGTH = 100
const MAX_HOPS = 64 // More proxies than anybody has in a row.
const MAX_FORWARDED = 16_384 // Characters. This is the default limit of Node.js for all headers.
// The port is a number, or in `Forwarded` also an obfuscated name (RFC 7239 §6.3).
const NODE = /^(?:\[([^\]]*:[^\]]*)\]|([0-9.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/
// RFC 7239 §4, but unquoted values may hold `:` and brackets, for many proxies forget the quotes.
const PAIR = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;\\]+))$/

/**
 * The hops of an `X-Forwarded-For` header, nearest first: the last entry is by the proxy that
 * talked to us. What a client wrote further to the left than {@link MAX_HOPS} is never looked at.
 */
export function hopsFromXForwardedFor(header: string): Hop[] {
  return lastEntries(header, MAX_HOPS)
    .map((entry) => toHop(entry, null, null))
    .reverse()
}

/**
 * Parses a `Forwarded` header (RFC 7239), the nearest hop first. A header with a syntax error gives
 * no hops: an unpaired quote of the client could otherwise hide the entry of the trusted proxy. A
 * header longer than {@link MAX_FORWARDED} gives no hops either.
 */
export function hopsFromForwarded(header: string): Hop[] {
  if (header.length > MAX_FORWARDED) return []
  const elements = splitOutsideQuotes(header, ',')?.map(parseElement)
  return elements?.every((hop) => hop !== null) ? elements.reverse() : []
}

/** The last entries of a comma-separated header without quotes. */
export function lastEntries(header: string, count: number): string[] {
  let start = header.length + 1
  for (let left = count; left > 0 && start > 0; left--)
    start = start < 2 ? 0 : header.lastIndexOf(',', start - 2) + 1
  const entries = header.slice(start).split(',')
  return entries.map((entry) => entry.trim())
}

function toHop(node: string, proto: string | null, host: string | null): Hop {
  return {
    get address() {
      return parseNode(node)
    },
    proto,
    host,
  }
}

/**
 * Reads an address as proxies write it: IPv4, IPv6 bare or in brackets, the first and the last also
 * with a port.
 */
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
  return toHop(
    parameters.get('for') ?? '',
    parameters.get('proto') ?? null,
    parameters.get('host') ?? null,
  )
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
