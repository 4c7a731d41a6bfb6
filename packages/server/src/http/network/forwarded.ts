import type { IncomingRequest } from '../context.ts'
import { type ParsedAddress, parseAddress } from './address.ts'

/** The result of walking from the socket to the client, proxy by proxy. */
export interface Walk {
  /** The addresses in the header, the nearest first. Null for an entry that cannot be read. */
  readonly forwarded: readonly (ParsedAddress | null)[]
  /** The address at which the walk ended. */
  readonly client: ParsedAddress | null
  /** The number of trusted proxies that it passed, including the socket's other end. */
  readonly trusted: number
}

/** Decides whether an address is a trusted proxy. @param hop 0 for the socket's other end */
export type Trust = (
  context: IncomingRequest,
  address: ParsedAddress | 'unix' | null,
  hop: number,
) => boolean

const MAX_HOPS = 64 // More proxies than anybody has in a row.
const MAX_ENTRY_LENGTH = 100
const MAX_LENGTH = 8192 // Characters at the end of a header, more than that many proxies write.
const ENTRY = /^(?:\[([^\]]*:[^\]]*)\]|([0-9.]+))(?::\d{1,5})?$/

/**
 * Walks over the addresses that proxies wrote. The last entry is by the proxy that talked to us. An
 * address counts only if the hop before it, which wrote it, is a trusted proxy.
 *
 * @param header the header in which proxies write the client's address
 */
export function walk(context: IncomingRequest, header: string, trusts: Trust): Walk {
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

/** True if an adapter says that a request came through a Unix socket, which has no address. */
export function isUnixSocket({ address }: IncomingRequest): boolean {
  return address === 'unix' || address?.startsWith('unix:') === true
}

/** Returns the last entries of a comma-separated header. */
export function lastEntries(header: string, count: number): string[] {
  const entries = header.slice(-MAX_LENGTH).split(',')
  return entries.slice(-count).map((entry) => entry.trim())
}

/**
 * Reads an address as proxies write it: IPv4, IPv6 bare or in brackets, the first and the last also
 * with a port.
 */
function parseEntry(text: string): ParsedAddress | null {
  if (text.length > MAX_ENTRY_LENGTH) return null
  const match = ENTRY.exec(text)
  return parseAddress(match?.[1] ?? match?.[2] ?? text)
}
