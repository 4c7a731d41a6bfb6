import type { IncomingRequest } from '../context.ts'
import { type ParsedAddress, parseAddress } from './address.ts'

/** The result of {@link findClient}. */
export type FoundClient = ReturnType<typeof findClient>

/** A function that returns true for a trusted proxy. @param hop 0 for the socket's address */
export type Trust = (
  context: IncomingRequest,
  address: ParsedAddress | 'unix' | null,
  hop: number,
) => boolean

const MAX_HOPS = 64 // More than the number of proxies in any real chain.
const MAX_ENTRY_LENGTH = 100
const MAX_LENGTH = 8192 // The maximum number of characters that are read, from the end of a header.
const ENTRY = /^(?:\[([^\]]*:[^\]]*)\]|([0-9.]+))(?::\d{1,5})?$/

/**
 * Finds the client address in a header such as `x-forwarded-for`. Reads the entries from the last
 * to the first, because the nearest proxy wrote the last entry. Uses only entries that a trusted
 * proxy wrote.
 *
 * @returns `client`, the address or null; `forwarded`, at most 64 entries from last to first, with
 * null for unreadable entries; and `trusted`, the number of trusted proxies, including the proxy that
 * opened the socket
 */
export function findClient(context: IncomingRequest, header: string, trusts: Trust) {
  let client = context.address === undefined ? null : parseAddress(context.address)
  if (!trusts(context, isUnixSocket(context) ? 'unix' : client, 0))
    return { forwarded: [], client, trusted: 0 }
  const value = context.request.headers.get(header)
  const forwarded = value === null ? [] : lastEntries(value, MAX_HOPS).reverse().map(parseEntry)
  let trusted = 1
  for (const address of forwarded) {
    if (!address) break
    client = address
    if (!trusts(context, client, trusted)) break
    trusted++
  }
  return { forwarded, client, trusted }
}

/** Returns true for a request through a Unix socket. A Unix socket has no IP address. */
export function isUnixSocket({ address }: IncomingRequest): boolean {
  return address === 'unix' || address?.startsWith('unix:') === true
}

/** Returns the last `count` entries of a comma-separated header, in their order. */
export function lastEntries(header: string, count: number): string[] {
  const entries = header.slice(-MAX_LENGTH).split(',')
  return entries.slice(-count).map((entry) => entry.trim())
}

// Only an IPv4 address or an IPv6 address in brackets can have a port.
function parseEntry(text: string): ParsedAddress | null {
  if (text.length > MAX_ENTRY_LENGTH) return null
  const match = ENTRY.exec(text)
  return parseAddress(match?.[1] ?? match?.[2] ?? text)
}
