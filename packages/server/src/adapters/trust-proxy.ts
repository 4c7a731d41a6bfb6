import type { IncomingMessage } from 'node:http'
import type { Connection } from '../http/context.ts'

/** The framework's own configuration of trusted proxies. */
export type TrustProxy = NonNullable<Connection['trustProxy']>

/** A request with the properties that Express or Fastify adds for proxies. */
interface TrustingRequest extends IncomingMessage, FastifyAddresses {
  readonly app?: { readonly get?: (setting: string) => unknown }
}

/**
 * Returns the framework's own setting for trusted proxies, found through a native request, or
 * undefined if there is none. Express compiles its setting `trust proxy` to a function. On Fastify,
 * NestJS adds `ips` to the native request.
 */
export function frameworkTrust(req: TrustingRequest): TrustProxy | undefined {
  const trust = req.app?.get?.('trust proxy fn')
  if (typeof trust === 'function') return (address, hop) => trust(address, hop) === true
  return req.ips && fastifyTrust(req)
}

/**
 * The addresses that Fastify reads from `x-forwarded-for`. Undefined if its option `trustProxy` is
 * off.
 */
interface FastifyAddresses {
  readonly ips?: readonly (string | undefined)[] | undefined
}

/**
 * Derives Fastify's option `trustProxy` from a request. Fastify does not expose the option itself,
 * but `request.ips` ends at the first address that it does not trust.
 */
export function fastifyTrust(request: FastifyAddresses): TrustProxy {
  return (address, hop) => {
    const ips = request.ips ?? []
    if (hop >= ips.length - 1) return false
    // If the setting `proxyHeader` names another header, its addresses may differ from `ips`.
    return hop === 0 || ips[hop] === address
  }
}

/** The settings of a Koa application. */
export interface KoaSettings {
  readonly proxy?: boolean | undefined
  readonly maxIpsCount?: number | undefined
  readonly proxyIpHeader?: string | undefined
}

/**
 * Converts Koa's settings for proxies. Trusts `maxIpsCount` proxies. If it is 0, which means no
 * limit in Koa, trusts one, because a client can add any number of addresses. If `proxyIpHeader`
 * names another header, trusts none, because clients can then forge `x-forwarded-for`.
 */
export function koaTrust(settings: KoaSettings): TrustProxy {
  const { proxy = false, maxIpsCount = 0, proxyIpHeader = 'x-forwarded-for' } = settings
  const isTrusted = proxy && proxyIpHeader.toLowerCase() === 'x-forwarded-for'
  return (_address, hop) => isTrusted && hop < Math.max(1, maxIpsCount)
}
