import { isHost } from '../grammar/url.ts'
import { knownEmbedHosts } from '../policy/default-policy.ts'
import type { EmbedHost } from '../policy/policy.ts'

// The sandbox of unknown hosts. Without `allow-same-origin`, they cannot use their own cookies.
const unknownSandbox = 'allow-scripts allow-popups'

/**
 * Returns the entries for the host names of an application. Any page of an unknown host may be
 * framed, but in a stricter sandbox.
 *
 * @param names - full host names
 * @throws TypeError if one is not a plain host name
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
 * Returns the host that allows a URL to be framed: https on the default port, no user name, and a
 * matching path.
 */
export function findEmbedHost(url: URL, hosts: readonly EmbedHost[]): EmbedHost | undefined {
  // `host` contains the port unless it is the default one.
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  return hosts.find(({ host, path }) => {
    return (
      url.host === host && (path === undefined || new RegExp(`^(?:${path})$`).test(url.pathname))
    )
  })
}
