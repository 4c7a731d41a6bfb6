import type { IncomingMessage } from 'node:http'
import type { Connection } from '../http/context.ts'

type TrustProxy = NonNullable<Connection['trustProxy']>

/**
 * Returns the function to which Express compiles its setting `trust proxy`. It returns false if the
 * setting is off.
 */
export function expressTrust(req: IncomingMessage): TrustProxy | undefined {
  const { app } = req as { readonly app?: { readonly get?: (setting: string) => unknown } }
  const trust = app?.get?.('trust proxy fn')
  return typeof trust === 'function' ? (address, hop) => trust(address, hop) === true : undefined
}

/**
 * The addresses that Fastify reads from `x-forwarded-for`. Undefined if its option `trustProxy` is
 * off.
 */
export interface FastifyAddresses {
  readonly ips?: readonly (string | undefined)[] | undefined
}

/**
 * Returns the option `trustProxy` of Fastify. Fastify does not publish the option itself, but
 * `request.ips` ends at the first address that it does not trust.
 */
export function fastifyTrust(request: FastifyAddresses): TrustProxy {
  return (address, hop) => {
    const ips = request.ips ?? []
    if (hop >= ips.length - 1) return false
    // Another header than `x-forwarded-for` may name other proxies than `ips`.
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
 * Returns the setting `proxy` of Koa. It trusts as many proxies as `maxIpsCount` says, but one by
 * default, because a client can write any number of addresses. With another `proxyIpHeader` it
 * trusts none: then clients can write `x-forwarded-for`.
 */
export function koaTrust({
  proxy = false,
  maxIpsCount = 0,
  proxyIpHeader = 'x-forwarded-for',
}: KoaSettings): TrustProxy {
  const isTrusted = proxy && proxyIpHeader.toLowerCase() === 'x-forwarded-for'
  return (_address, hop) => isTrusted && hop < Math.max(1, maxIpsCount)
}
