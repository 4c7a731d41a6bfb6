import { listOf, oneOf, origin } from '../../core/checks.ts'
import { type Logger, logOnce } from '../../core/logger.ts'
import { toOrigin } from '../../core/origin.ts'
import { field, type Input, optional, Problem, parse } from '../../core/schema.ts'
import type { IncomingRequest } from '../context.ts'
import { type Rate, timesRate } from '../rate-limit/rate-limit.ts'
import { addressKey, isInRanges, type ParsedAddress, parseAddress, parseRange } from './address.ts'
import {
  hopsFromForwarded,
  hopsFromXForwardedFor,
  lastEntries,
  PROXY_HEADERS,
  type ProxyHeader,
  type Walk,
} from './forwarded.ts'
import { ignoredForwarding, isUnixSocket } from './ignored-forwarding.ts'

/** The options of {@link createNetwork}. */
export const NETWORK_OPTIONS = {
  /**
   * The origin under which browsers reach the application, for example `https://example.com`. It
   * wins over everything that a request says, so set it if there is only one; by default each
   * request says it.
   */
  publicOrigin: optional(origin),
  /**
   * Addresses and CIDR ranges of the reverse proxies in front, for example `['10.0.0.0/8', '::1']`.
   * `'unix'` stands for Unix sockets. Forwarding headers from other addresses are ignored. The
   * default is the framework's own configuration (`trust proxy` of Express), or no proxy.
   */
  trustedProxies: optional(listOf(proxy)),
}

/** The settings of {@link createNetwork}. */
export const NETWORK_SETTINGS = {
  /**
   * The header in which these proxies write the client's address: `'x-forwarded-for'` (then scheme
   * and host are read from `X-Forwarded-Proto` and `X-Forwarded-Host`) or `'forwarded'`. Other
   * headers are ignored. The proxies must set or remove all of the headers that are read.
   */
  proxyHeader: field(oneOf(PROXY_HEADERS), 'x-forwarded-for'),
}

/** The settings of the network. */
export type NetworkOptions = Input<typeof NETWORK_OPTIONS> & Input<typeof NETWORK_SETTINGS>

/** The limit of all requests that share a client's address. */
export interface AddressLimit {
  /** The client's address, see {@link Network.clientAddress}. */
  readonly address: string | null
  /** The key of the address, see `addressKey`. */
  readonly key: string
  readonly rate: Rate | null
}

/** The real origin and client of requests. */
export interface Network {
  /**
   * Returns the client's IP address in its normal spelling (IPv4-mapped IPv6 as IPv4, without zone
   * and port), or null if the socket does not have one. Behind trusted proxies, it is the nearest
   * address that is not trusted. If an entry of the chain cannot be read, it is the address before
   * that entry.
   */
  clientAddress(context: IncomingRequest): string | null
  /**
   * Returns the limit for the client's address. The limit is 20 times higher if many clients share
   * the address: if the address is unknown (but not if a client of `node:http` has closed the
   * connection), or if it is a private address that forwards requests but is not trusted.
   *
   * @param rate the limit for one address
   */
  addressLimit(context: IncomingRequest, rate: Rate | null): AddressLimit
  /**
   * Returns scheme, host and port as the browser sees them, without a trailing slash:
   * `https://example.com`.
   */
  origin(context: IncomingRequest): string
  /** Returns true if the browser speaks https. */
  isSecure(context: IncomingRequest): boolean
  /**
   * Returns true if the socket's other end is a trusted proxy. Only then do headers such as
   * `cf-ipcountry` count.
   */
  isFromTrustedProxy(context: IncomingRequest): boolean
}

const SHARED = 20

/**
 * Finds the address, scheme and host of requests behind proxies.
 *
 * It reads the hops from the socket on. An address counts only if the hop before it, which wrote
 * it, is a trusted proxy. Scheme and host are those that the outermost trusted proxy wrote.
 *
 * @param logger gets each kind of warning once, with the option to add
 * @throws ConfigurationError that names the wrong option
 *
 * @example
 * const network = createNetwork({ trustedProxies: ['127.0.0.1', '::1'] })
 * network.origin({ request, address: '127.0.0.1' }) // 'https://example.com'
 */
export function createNetwork(
  options: NetworkOptions = {},
  logger?: Pick<Logger, 'warn'>,
): Network {
  const schema = { ...NETWORK_OPTIONS, ...NETWORK_SETTINGS }
  const { publicOrigin, trustedProxies, proxyHeader } = parse(schema, options)
  const trusts = createTrust(trustedProxies)
  const logIgnored = logOnce(logger)
  const walkOf = (context: IncomingRequest): Walk => walk(context, proxyHeader, trusts)
  const originOf = (context: IncomingRequest): string =>
    publicOrigin ?? requestOrigin(context, walkOf(context))
  return {
    clientAddress(context) {
      const walked = walkOf(context)
      const ignored = ignoredForwarding(context, walked)
      // Only limits need an address.
      if (ignored?.message && ignored.kind !== 'no-address')
        logIgnored(ignored.message, ignored.kind)
      return walked.client?.toString() ?? null
    },
    addressLimit(context, rate) {
      const walked = walkOf(context)
      const ignored = ignoredForwarding(context, walked)
      if (ignored?.message) logIgnored(ignored.message, ignored.kind)
      const isShared = ignored ? ignored.isShared : walked.client === null
      const address = walked.client?.toString() ?? null
      return { address, key: addressKey(address), rate: timesRate(rate, isShared ? SHARED : 1) }
    },
    origin: originOf,
    isSecure: (context) => originOf(context).startsWith('https:'),
    isFromTrustedProxy: (context) => walkOf(context).trusted > 0,
  }
}

/** @param hop 0 for the socket's other end */
type Trust = (
  context: IncomingRequest,
  address: ParsedAddress | 'unix' | null,
  hop: number,
) => boolean

function walk(context: IncomingRequest, header: ProxyHeader, trusts: Trust): Walk {
  let client = context.address === undefined ? null : parseAddress(context.address)
  if (!trusts(context, isUnixSocket(context) ? 'unix' : client, 0))
    return { header, hops: [], client, trusted: 0 }
  const value = context.request.headers.get(header) ?? ''
  const hops = header === 'forwarded' ? hopsFromForwarded(value) : hopsFromXForwardedFor(value)
  let trusted = 1
  for (const { address } of hops) {
    if (!address) break
    client = address
    if (!trusts(context, client, trusted)) break
    trusted++
  }
  return { header, hops, client, trusted }
}

function requestOrigin(context: IncomingRequest, { header, hops, trusted }: Walk): string {
  const url = new URL(context.request.url)
  if (trusted === 0) return url.origin
  const { headers } = context.request
  const isStandard = header === 'forwarded'
  const hop = hops.slice(0, trusted).at(-1)
  const proto = (
    isStandard ? hop?.proto : listed(headers, 'x-forwarded-proto', trusted)
  )?.toLowerCase()
  const host = (isStandard ? hop?.host : listed(headers, 'x-forwarded-host', trusted)) ?? null
  const scheme = proto === 'http' || proto === 'https' ? `${proto}:` : url.protocol
  return toOrigin(scheme, host) ?? toOrigin(scheme, url.host) ?? url.origin
}

/** The entry that the outermost trusted proxy wrote. Proxies that overwrite leave fewer entries. */
function listed(headers: Headers, name: string, trusted: number): string | null {
  const header = headers.get(name)
  return header === null ? null : (lastEntries(header, trusted)[0] ?? null)
}

/** Without the option, the framework decides. */
function createTrust(trustedProxies: readonly string[] | undefined): Trust {
  if (trustedProxies === undefined) {
    return ({ trustProxy }, address, hop) =>
      address !== null &&
      trustProxy?.(address === 'unix' ? undefined : address.toString(), hop) === true
  }
  const hasUnix = trustedProxies.includes('unix')
  const ranges = trustedProxies.map(parseRange).filter((range) => range !== null)
  return (_context, address) =>
    address === 'unix' ? hasUnix : address !== null && isInRanges(address, ranges)
}

function proxy(value: unknown): string | Problem {
  const isProxy = typeof value === 'string' && (value === 'unix' || parseRange(value) !== null)
  return isProxy
    ? value
    : new Problem('must be an address, a range such as "10.0.0.0/8", or "unix"', value)
}
