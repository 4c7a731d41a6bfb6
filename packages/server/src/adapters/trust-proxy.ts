import type { IncomingMessage } from 'node:http'
import type { ConnectionInfo } from '../http/context.ts'

/** A function that returns true for a proxy that the framework's configuration trusts. */
export type TrustProxy = NonNullable<ConnectionInfo['trustProxy']>

/** A request of `node:http`. Express adds `app`, and NestJS on Fastify adds `ips`. */
interface TrustingRequest extends IncomingMessage, FastifyAddresses {
  readonly app?: { readonly get?: (setting: string) => unknown }
}

/** Returns the trusted proxies of Express or of NestJS on Fastify, otherwise undefined. */
export function frameworkTrust(req: TrustingRequest): TrustProxy | undefined {
  // Express 4 and 5 compile the setting `trust proxy` to this undocumented function. The documented
  // `req.ips` is empty if the proxies send another header than `x-forwarded-for`.
  const trust = req.app?.get?.('trust proxy fn')
  if (typeof trust === 'function') return (address, hop) => trust(address, hop) === true
  return req.ips && fastifyTrust(req)
}

/** The addresses that Fastify reads from `x-forwarded-for` if its option `trustProxy` is on. */
interface FastifyAddresses {
  readonly ips?: readonly (string | undefined)[] | undefined
}

/**
 * Derives the trusted proxies from `request.ips`, because Fastify does not expose its option
 * `trustProxy`. Fastify trusts all addresses in `ips` except the last.
 */
export function fastifyTrust(request: FastifyAddresses): TrustProxy {
  return (address, hop) => {
    const ips = request.ips ?? []
    if (hop >= ips.length - 1) return false
    // If the setting `proxyHeader` names another header than `x-forwarded-for`, its addresses may
    // differ from `ips`. Different addresses are not trusted.
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
 * Returns the trusted proxies. If `proxy` is true, they are the nearest `maxIpsCount` proxies. In
 * Koa, 0 means no limit. Here, 0 means one proxy, because a client can add any number of addresses.
 * If `proxyIpHeader` is not `x-forwarded-for`, no proxy is trusted, because clients can forge
 * `x-forwarded-for`.
 */
export function koaTrust(settings: KoaSettings): TrustProxy {
  const { proxy = false, maxIpsCount = 0, proxyIpHeader = 'x-forwarded-for' } = settings
  const isTrusted = proxy && proxyIpHeader.toLowerCase() === 'x-forwarded-for'
  return (_address, hop) => isTrusted && hop < Math.max(1, maxIpsCount)
}
