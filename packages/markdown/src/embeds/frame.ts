import { hasScheme, parseUrl } from '../grammar/url.ts'
import type { EmbedHost } from '../policy/policy.ts'
import { findEmbedHost } from './embed-hosts.ts'
import { findFrames } from './players.ts'

/** The decoded attributes of an `<iframe>`, in the order in which they are written. */
export type FrameAttributes = Readonly<Record<string, string>>

/** The part of a policy that applies to frames. */
export interface FramePolicy {
  readonly embeds: readonly EmbedHost[]
  readonly schemes: { readonly media: Iterable<string> }
}

/**
 * The replacement of an author's `<iframe>`: a safe frame, a link to a page that must not be
 * framed, or nothing.
 */
export type Frame =
  | { readonly kind: 'frame'; readonly attributes: FrameAttributes }
  | { readonly kind: 'link'; readonly href: string }
  | { readonly kind: 'nothing' }

/**
 * Replaces an author's `<iframe>`, depending on its URL. A frame of YouTube gets the host that sets
 * no cookies before playing, if the policy lists that host.
 *
 * @param attributes - those of the author, of which only URL, title and size are used
 */
export function toFrame(attributes: FrameAttributes, policy: FramePolicy): Frame {
  const source = attributes['src']?.trim() ?? ''
  const url = parseUrl(source)
  const host = url === null ? undefined : findEmbedHost(url, policy.embeds)
  if (url === null || host === undefined) {
    const isSafe = source !== '' && hasScheme(source, new Set(policy.schemes.media))
    return isSafe ? { kind: 'link', href: source } : { kind: 'nothing' }
  }
  const { url: best, host: bestHost } = findPlayer(url, policy) ?? { url, host }
  return { kind: 'frame', attributes: writeFrame(best, bestHost, attributes) }
}

/**
 * Returns the frame for the URL of a page: a video of YouTube or Vimeo, or a pen of CodePen.
 *
 * @returns null if there is no player for it, or if the policy does not list the player's host
 * @example toEmbed('https://youtu.be/dQw4w9WgXcQ?t=1m30s', policy)
 * // { src: 'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=90', title: 'YouTube embed', … }
 */
export function toEmbed(
  address: string,
  policy: Pick<FramePolicy, 'embeds'>,
): FrameAttributes | null {
  const page = parseUrl(address)
  const player = page === null ? null : findPlayer(page, policy)
  return player === null ? null : writeFrame(player.url, player.host, defaultSize)
}

// The ratio of videos. Without a size, browsers show frames of 300 by 150 pixels.
const defaultSize: FrameAttributes = { width: '640', height: '360' }

function findPlayer(
  page: URL,
  { embeds }: Pick<FramePolicy, 'embeds'>,
): { url: URL; host: EmbedHost } | null {
  for (const url of findFrames(page)) {
    const host = findEmbedHost(url, embeds)
    if (host !== undefined) return { url, host }
  }
  return null
}

function writeFrame(
  url: URL,
  { name, sandbox }: EmbedHost,
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
