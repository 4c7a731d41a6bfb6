import { isHost } from '../grammar/url.ts'
import { knownEmbedHosts } from '../policy/default-policy.ts'
import type { EmbedHost } from '../policy/policy.ts'

// What a host that we know nothing about may do in its frame: not what it could with its own origin's cookies.
const unknownSandbox = 'allow-scripts allow-popups'

/**
 * Finds what is known about the hosts that an application lets texts embed. Others may frame any of their pages, in a
 * stricter sandbox.
 *
 * @param names - host names, in full
 * @throws TypeError when one is no plain host name
 */
export function toEmbedHosts(names: readonly string[]): readonly EmbedHost[] {
  return names.map((name) => {
    if (!isHost(name)) {
      throw new TypeError(`The option "embedHosts" holds "${name}", which is not a host name.`)
    }
    return (
      knownEmbedHosts.find(({ host }) => host === name) ?? {
        host: name,
        name,
        sandbox: unknownSandbox,
      }
    )
  })
}

/**
 * The host that lets an address be framed: https, on the default port, without a user name, and of the host's path.
 */
export function findEmbedHost(url: URL, hosts: readonly EmbedHost[]): EmbedHost | undefined {
  // `host` holds a port that is not the default one.
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  return hosts.find(({ host, path }) => {
    return (
      url.host === host && (path === undefined || new RegExp(`^(?:${path})$`).test(url.pathname))
    )
  })
}
