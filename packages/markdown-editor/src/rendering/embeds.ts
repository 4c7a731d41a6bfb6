import type { Attributes } from './clean-attributes.ts'
import { knownEmbedHosts } from './policy/default-policy.ts'
import type { EmbedHost, RenderPolicy } from './policy/policy.ts'
import { hasScheme, parseUrl } from './url.ts'

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
    const url = parseUrl(`https://${name}/`)
    if (url?.host !== name || !/^[\w.:[\]-]+$/.test(name)) {
      throw new TypeError(`The option "embedHosts" holds "${name}", which is not a host name.`)
    }
    return knownEmbedHosts.find(({ host }) => host === name) ?? { host: name, name, sandbox: unknownSandbox }
  })
}

/**
 * What becomes of an `<iframe>`: a frame that is safe, a link to what can't be framed, or nothing.
 */
export type Frame =
  | { readonly kind: 'frame'; readonly attributes: Attributes }
  | { readonly kind: 'link'; readonly href: string }
  | { readonly kind: 'nothing' }

/**
 * Decides about an `<iframe>` by its address.
 *
 * @param attributes - as the author wrote them
 */
export function toFrame(attributes: Readonly<Attributes>, policy: RenderPolicy): Frame {
  const source = attributes['src']?.trim() ?? ''
  const url = parseUrl(source)
  if (source === '' || url === null) return { kind: 'nothing' }
  const embed = policy.embeds.find((candidate) => isEmbeddable(url, candidate))
  if (embed === undefined) {
    return hasScheme(source, policy.schemes.media) ? { kind: 'link', href: source } : { kind: 'nothing' }
  }
  const { width, height, title } = attributes
  return {
    kind: 'frame',
    attributes: {
      src: url.href,
      title: title || `${embed.name} embed`,
      ...(width && { width }),
      ...(height && { height }),
      sandbox: embed.sandbox,
      allow: 'fullscreen; encrypted-media; picture-in-picture',
      allowfullscreen: '',
      loading: 'lazy',
      referrerpolicy: 'strict-origin-when-cross-origin',
    },
  }
}

function isEmbeddable(url: URL, { host, path }: EmbedHost): boolean {
  // host holds a port that is not the default one; user names have no place in an embed.
  if (url.protocol !== 'https:' || url.host !== host || url.username !== '' || url.password !== '') return false
  return path === undefined || new RegExp(`^${path}$`).test(url.pathname)
}
