import { type AddressRange, isInRanges, type ParsedAddress, parseAddress, parseRange } from './address.ts'
import type { RequestContext } from './context.ts'
import { ConfigurationError } from './errors.ts'
import { type Hop, hopsFromForwarded, hopsFromXForwardedFor, lastEntries } from './forwarded.ts'
import { parseOrigin, toOrigin } from './origin.ts'

/** Where a deployment sits. */
export interface NetworkOptions {
  /**
   * The origin under which browsers reach the application, for example `https://example.com`. It wins over everything
   * that a request says, so set it wherever there is only one.
   */
  readonly publicOrigin?: string
  /**
   * Addresses and CIDR ranges of the reverse proxies in front, for example `['10.0.0.0/8', '::1']`. Only what these
   * write into `X-Forwarded-For`, `-Proto`, `-Host` or `Forwarded` counts. They must set or remove those of these
   * headers that they do not pass on from the proxy before them.
   * @default [] nobody
   */
  readonly trustedProxies?: readonly string[]
}

/** The real origin and client of requests. Pure: it keeps nothing between calls. */
export interface Network {
  /**
   * The client's IP address in its normal spelling (IPv4-mapped IPv6 as IPv4, no zone, no port), or null when the
   * socket has none. Behind trusted proxies it is the nearest address that is not one of theirs; where the chain
   * cannot be read any further it is the last address that could.
   */
  clientAddress(context: RequestContext): string | null
  /** Scheme, host and port as the browser sees them, without a trailing slash: `https://example.com`. */
  origin(context: RequestContext): string
  /** True when the browser speaks https. */
  isSecure(context: RequestContext): boolean
  /** True when the socket's other end is a trusted proxy: only then do headers such as `cf-ipcountry` count. */
  isFromTrustedProxy(context: RequestContext): boolean
}

/**
 * Finds out where requests really come from.
 *
 * Hops are walked from the socket's side: each further address is believed only when the one before it, which wrote
 * it, is a trusted proxy. Proto and host are those that the outermost trusted proxy wrote. When a request carries both
 * `X-Forwarded-*` and `Forwarded`, only what both agree on counts: a proxy sets one of them and hands the client's
 * other one through.
 *
 * @throws ConfigurationError for a `publicOrigin` that is no origin, or an entry of `trustedProxies` that is no range
 *
 * @example
 * const network = createNetwork({ trustedProxies: ['127.0.0.1', '::1'] })
 * network.origin(fromExpress(req)) // 'https://example.com'
 */
export function createNetwork(options: NetworkOptions = {}): Network {
  const publicOrigin = options.publicOrigin === undefined ? null : parseOrigin(options.publicOrigin, 'publicOrigin')
  const ranges = options.trustedProxies === undefined ? [] : parseTrustedProxies(options.trustedProxies)
  const origin = (context: RequestContext): string => publicOrigin ?? requestOrigin(context, ranges)
  return {
    clientAddress: (context) => walk(context, ranges).client?.toString() ?? null,
    origin,
    isSecure: (context) => origin(context).startsWith('https:'),
    isFromTrustedProxy: (context) => walk(context, ranges).trusted > 0,
  }
}

/** Where the walk ended, and how many trusted proxies it passed, the one at the socket included. */
interface Walk {
  readonly client: ParsedAddress | null
  readonly trusted: number
}

function walk(context: RequestContext, ranges: readonly AddressRange[]): Walk {
  let client = context.address === undefined ? null : parseAddress(context.address)
  if (!client || !isInRanges(client, ranges)) return { client, trusted: 0 }
  let trusted = 1
  for (const address of forwardedAddresses(context.request.headers)) {
    if (!address) break
    client = address
    if (!isInRanges(client, ranges)) break
    trusted++
  }
  return { client, trusted }
}

function requestOrigin(context: RequestContext, ranges: readonly AddressRange[]): string {
  const url = new URL(context.request.url)
  const { trusted } = walk(context, ranges)
  if (trusted === 0) return url.origin
  const { headers } = context.request
  const hop = hopsOf(headers, 'forwarded', hopsFromForwarded).slice(0, trusted).at(-1)
  const proto = agreed(listed(headers, 'x-forwarded-proto', trusted), hop?.proto ?? null)?.toLowerCase()
  const host = agreed(listed(headers, 'x-forwarded-host', trusted), hop?.host ?? null)
  const scheme = proto === 'http' || proto === 'https' ? `${proto}:` : url.protocol
  return toOrigin(scheme, host) ?? toOrigin(scheme, url.host) ?? url.origin
}

/** Client addresses of the hops, nearest first. With both headers, as far as they agree. */
function* forwardedAddresses(headers: Headers): Generator<ParsedAddress | null> {
  const x = hopsOf(headers, 'x-forwarded-for', hopsFromXForwardedFor)
  const standard = hopsOf(headers, 'forwarded', hopsFromForwarded)
  const hasBoth = headers.has('forwarded') && headers.has('x-forwarded-for')
  for (const [index, { address }] of (headers.has('x-forwarded-for') ? x : standard).entries()) {
    if (hasBoth && address?.toString() !== standard[index]?.address?.toString()) return
    yield address
  }
}

function hopsOf(headers: Headers, name: string, read: (header: string) => Hop[]): Hop[] {
  const header = headers.get(name)
  return header === null ? [] : read(header)
}

/** The entry of a list that the outermost trusted proxy wrote; proxies that overwrite leave fewer entries than hops. */
function listed(headers: Headers, name: string, trusted: number): string | null {
  const header = headers.get(name)
  return header === null ? null : (lastEntries(header, trusted)[0] ?? null)
}

function agreed(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b
  return a.toLowerCase() === b.toLowerCase() ? a : null
}

function parseTrustedProxies(value: unknown): AddressRange[] {
  if (!Array.isArray(value)) {
    throw new ConfigurationError('trustedProxies', 'must be a list of addresses and CIDR ranges', value)
  }
  return value.map((entry) => {
    const range = typeof entry === 'string' ? parseRange(entry) : null
    if (!range)
      throw new ConfigurationError('trustedProxies', 'must list addresses and ranges such as "10.0.0.0/8"', entry)
    return range
  })
}
