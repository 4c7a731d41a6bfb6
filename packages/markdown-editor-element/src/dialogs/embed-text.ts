import { type EmbedHost, type FrameAttributes, toEmbed, toFrame } from '@quillgate/markdown/embeds'
import { escapeHtml } from '@quillgate/markdown/grammar'
import type { AllStrings } from '../i18n/strings.ts'

/** The text to insert for a player, and the frame that the renderer makes from it. */
export interface Embed {
  readonly markdown: string
  readonly frame: FrameAttributes
}

const SOURCE = /^<iframe\b[^>]*?\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i
// Code to embed is short; a whole page may be pasted by mistake.
const MAX_CODE = 10_000
// Sites whose page addresses also lead to a player.
const SITES: readonly (readonly [name: string, pages: RegExp])[] = [
  ['YouTube', /(?:^|\.)(?:youtube(?:-nocookie)?\.com|youtu\.be)$/],
  ['Vimeo', /(?:^|\.)vimeo\.com$/],
  ['CodePen', /(?:^|\.)codepen\.io$/],
]

/**
 * Reads an address, or the embed code of a site.
 *
 * @param title the accessible name of the frame; `''` leaves it to the renderer
 * @param hosts the hosts that may be framed
 */
export function readEmbed(
  value: string,
  title: string,
  hosts: readonly EmbedHost[],
  words: AllStrings,
): Embed | { readonly problem: string } {
  const written = embedAddress(value)
  if (written === '') return { problem: words.addressMissing }
  const url = URL.parse(/^[\w-]+(?:\.[\w-]+)+\//.test(written) ? `https://${written}` : written)
  if (url === null || !/^https?:$/.test(url.protocol)) return { problem: words.addressBroken }
  const policy = { embeds: hosts, schemes: { media: ['https'] } }
  const player = toEmbed(url.href, policy)
  if (player !== null && title === '') return { markdown: url.href, frame: player }
  const asked = { src: player?.['src'] ?? url.href, title, width: '640', height: '360' }
  const frame = toFrame(asked, policy)
  if (frame.kind === 'frame')
    return { markdown: writeFrame({ ...asked, title: title || url.host }), frame: frame.attributes }
  const site = SITES.find(([, pages]) => pages.test(url.hostname))?.[0]
  const known = site !== undefined && siteNames(hosts).includes(site)
  return {
    problem: known
      ? words.embedNothing(site)
      : words.embedRefused(url.host, siteNames(hosts).join(', ')),
  }
}

/** The names of the sites whose pages may be embedded. */
export function siteNames(hosts: readonly EmbedHost[]): string[] {
  return [...new Set(hosts.map(({ name }) => name))]
}

/** True for the address of a page that may be embedded. */
export function isEmbeddable(address: string, hosts: readonly EmbedHost[]): boolean {
  const policy = { embeds: hosts, schemes: { media: [] } }
  return toEmbed(address, policy) !== null || toFrame({ src: address }, policy).kind === 'frame'
}

/** The address in an `<iframe>`, or the text itself. */
function embedAddress(value: string): string {
  const at = Math.max(0, value.search(/<iframe\b/i))
  const [, double, single, plain] = SOURCE.exec(value.slice(at, at + MAX_CODE)) ?? []
  const source = double ?? single ?? plain
  return (source === undefined ? value : decodeAmpersands(source)).trim()
}

function decodeAmpersands(source: string): string {
  const decoded = source.replace(/&(?:amp|#38|#x26);/gi, '&')
  return decoded.startsWith('//') ? `https:${decoded}` : decoded
}

function writeFrame(attributes: Readonly<Record<string, string>>): string {
  const written = Object.entries(attributes).map(
    ([name, value]) => `${name}="${escapeHtml(value)}"`,
  )
  return `<iframe ${written.join(' ')} allowfullscreen></iframe>`
}
