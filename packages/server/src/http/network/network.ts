import { listOf, matching, origin } from '../../core/checks.ts'
import { type Logger, logOnce } from '../../core/logger.ts'
import { toOrigin } from '../../core/origin.ts'
import { field, type Input, optional, Problem, parse } from '../../core/schema.ts'
import type { IncomingRequest } from '../context.ts'
import { type Rate, timesRate } from '../rate-limit/rate-limit.ts'
import { addressKey, isInRanges, isPublicAddress, parseRange } from './address.ts'
import { findClient, lastEntries, type Trust } from './forwarded.ts'
import { ignoredForwarding } from './ignored-forwarding.ts'

/** The options of {@link createNetwork}. */
export const NETWORK_OPTIONS = {
  /**
   * The origin under which browsers reach the application, for example `https://example.com`. By
   * default, the origin of each request is used.
   */
  publicOrigin: optional(origin),
  /**
   * The addresses and CIDR ranges of the [trusted reverse proxies](behind-a-proxy.md), for example
   * `['10.0.0.0/8', '::1']`. The default is the framework's own configuration (`trust proxy` of
   * Express), or no proxy.
   */
  trustedProxies: optional(listOf(proxy)),
}

/** The settings of {@link createNetwork}. */
export const NETWORK_SETTINGS = {
  /**
   * The header in which [trusted proxies](behind-a-proxy.md#configure-the-proxy) write the client's
   * address, for example `'x-real-ip'`.
   */
  proxyHeader: field(
    matching(
      /^(?!forwarded$)[a-z][a-z\d-]*$/,
      'must be the name of a header in lower case, such as "x-real-ip", but not "forwarded"',
    ),
    'x-forwarded-for',
  ),
}

/** The options and settings of {@link createNetwork}. */
export type NetworkOptions = Input<typeof NETWORK_OPTIONS> & Input<typeof NETWORK_SETTINGS>

/** The rate limit of all requests that share a client's address. */
export type AddressLimit = ReturnType<Network['addressLimit']>

/** The functions that find the real origin and client of a request. */
export type Network = ReturnType<typeof createNetwork>

const SHARED = 20

/**
 * Creates the functions that find the address, scheme and host of requests behind proxies.
 *
 * @param logger receives each kind of warning once; the warning names the option to set
 * @throws ConfigurationError
 */
export function createNetwork(options: NetworkOptions = {}, logger?: Pick<Logger, 'warn'>) {
  const schema = { ...NETWORK_OPTIONS, ...NETWORK_SETTINGS }
  const { publicOrigin, trustedProxies, proxyHeader } = parse(schema, options)
  const trusts = createTrust(trustedProxies)
  const logIgnored = logOnce(logger)
  const clientOf = (context: IncomingRequest) => findClient(context, proxyHeader, trusts)
  const originOf = (context: IncomingRequest): string =>
    publicOrigin ?? requestOrigin(context, clientOf(context).trusted)
  return {
    /**
     * Returns the client's IP address without zone and port, or null if there is none. Behind
     * trusted proxies, returns the nearest address that is not trusted. If all are trusted or an
     * entry is unreadable, returns the last one read.
     */
    clientAddress(context: IncomingRequest): string | null {
      const found = clientOf(context)
      const ignored = ignoredForwarding(context, found, proxyHeader)
      // A missing address matters only for limits, so only `addressLimit` logs it.
      if (ignored?.message && ignored.kind !== 'no-address')
        logIgnored(ignored.message, ignored.kind)
      return found.client?.toString() ?? null
    },
    publicAddress(context: IncomingRequest): string | null {
      const { client } = clientOf(context)
      return client && isPublicAddress(client) ? client.toString() : null
    },
    /**
     * Returns the limit for the client's address. If the address is unknown, or is the private
     * address of a proxy, the limit is 20 times higher, because many clients may share it. On
     * `node:http`, a closed connection has no address, but its limit is not higher.
     */
    addressLimit(context: IncomingRequest, rate: Rate | null) {
      const found = clientOf(context)
      const ignored = ignoredForwarding(context, found, proxyHeader)
      if (ignored?.message) logIgnored(ignored.message, ignored.kind)
      const isShared = ignored ? ignored.isShared : found.client === null
      const address = found.client?.toString() ?? null
      return { address, key: addressKey(address), rate: timesRate(rate, isShared ? SHARED : 1) }
    },
    /** Returns the origin that the browser uses, for example `https://example.com`. */
    origin: originOf,
    isSecure: (context: IncomingRequest) => originOf(context).startsWith('https:'),
    /** Returns true if a trusted proxy sent the request. Otherwise, headers may be forged. */
    isFromTrustedProxy: (context: IncomingRequest) => clientOf(context).trusted > 0,
  }
}

function requestOrigin({ request }: IncomingRequest, trusted: number): string {
  const url = new URL(request.url)
  if (trusted === 0) return url.origin
  const proto = listed(request.headers, 'x-forwarded-proto', trusted)?.toLowerCase()
  const host = listed(request.headers, 'x-forwarded-host', trusted)
  const scheme = proto === 'http' || proto === 'https' ? `${proto}:` : url.protocol
  return toOrigin(scheme, host) ?? toOrigin(scheme, url.host) ?? url.origin
}

// Returns the entry that the outermost trusted proxy wrote. If a proxy has overwritten the header,
// there may be fewer entries than proxies. In this case, returns the first entry.
function listed(headers: Headers, name: string, trusted: number): string | null {
  const header = headers.get(name)
  return header === null ? null : (lastEntries(header, trusted)[0] ?? null)
}

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
