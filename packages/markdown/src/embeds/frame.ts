import { hasScheme, isHost, parseUrl } from '../grammar/url.ts'
import { knownEmbedHosts } from '../policy/default-policy.ts'
import type { EmbedHost } from '../policy/policy.ts'
import { findFrames } from './players.ts'

/** The decoded attributes of an `<iframe>`, in the order of the output. */
export type FrameAttributes = Readonly<Record<string, string>>

/** The part of a policy that applies to frames. */
export interface FramePolicy {
  readonly embeds: readonly EmbedHost[]
  readonly schemes: { readonly media: Iterable<string> }
}

/** The replacement of an `<iframe>`: a safe frame, a link if no frame is allowed, or nothing. */
export type Frame =
  | { readonly kind: 'frame'; readonly attributes: FrameAttributes }
  | { readonly kind: 'link'; readonly href: string }
  | { readonly kind: 'nothing' }

// Hosts not in `knownEmbedHosts` get no `allow-same-origin`, so their pages cannot use cookies.
const unknownSandbox = 'allow-scripts allow-popups'

// The size of a frame that replaces a bare address, in pixels. The ratio is 16:9, as for videos.
const defaultSize: FrameAttributes = { width: '640', height: '360' }

/**
 * Converts the option `embedHosts`. Hosts that are not in `knownEmbedHosts` get a strict sandbox,
 * and all their paths may be framed.
 *
 * @throws TypeError if a name is not a full host name
 */
export function toEmbedHosts(names: readonly string[]): readonly EmbedHost[] {
  return names.map((name) => {
    if (!isHost(name))
      throw new TypeError(
        `The option "embedHosts" contains "${name}". Use lower-case host names such as "a.example".`,
      )
    const known = knownEmbedHosts.find(({ host }) => host === name)
    return known ?? { host: name, name, sandbox: unknownSandbox }
  })
}

function findEmbedHost(url: URL, hosts: readonly EmbedHost[]): EmbedHost | undefined {
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  // `url.host` includes a port other than 443, so `host` must contain the same port.
  return hosts.find(
    ({ host, path = '.*' }) => url.host === host && new RegExp(`^(?:${path})$`).test(url.pathname),
  )
}

/**
 * Returns the replacement of an author's `<iframe>`. If the policy allows it, YouTube videos use
 * the host `www.youtube-nocookie.com`, which sets no cookies before a video plays.
 */
export function toFrame(attributes: FrameAttributes, policy: FramePolicy): Frame {
  const source = attributes['src']?.trim() ?? ''
  const url = parseUrl(source)
  const host = url === null ? undefined : findEmbedHost(url, policy.embeds)
  if (url === null || host === undefined) {
    const isSafe = source !== '' && hasScheme(source, new Set(policy.schemes.media))
    return isSafe ? { kind: 'link', href: source } : { kind: 'nothing' }
  }
  const player = findPlayer(url, policy.embeds) ?? { url, host }
  return { kind: 'frame', attributes: writeFrame(player, attributes) }
}

/**
 * Returns the frame for the address of a video on YouTube or Vimeo, or of a pen on CodePen.
 *
 * @returns null if the page has no player, or if the policy does not allow the host of the player
 * @example toEmbed('https://youtu.be/dQw4w9WgXcQ?t=1m30s', policy)
 * // { src: 'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=90', title: 'YouTube embed', … }
 */
export function toEmbed(
  address: string,
  { embeds }: Pick<FramePolicy, 'embeds'>,
): FrameAttributes | null {
  const page = parseUrl(address)
  const player = page && findPlayer(page, embeds)
  return player && writeFrame(player, defaultSize)
}

interface AllowedFrame {
  readonly url: URL
  readonly host: EmbedHost
}

function findPlayer(page: URL, embeds: readonly EmbedHost[]): AllowedFrame | null {
  for (const url of findFrames(page)) {
    const host = findEmbedHost(url, embeds)
    if (host !== undefined) return { url, host }
  }
  return null
}

function writeFrame(
  { url, host: { name, sandbox } }: AllowedFrame,
  { title, width, height }: FrameAttributes,
): FrameAttributes {
  return {
    src: url.href,
    title: title || `${name} embed`,
    ...(width && { width }),
    ...(height && { height }),
    sandbox,
    allow: 'fullscreen; encrypted-media; picture-in-picture',
    loading: 'lazy',
    referrerpolicy: 'strict-origin-when-cross-origin',
  }
}
