import { type EmbedHost, toEmbed, toFrame } from '@quillgate/markdown/embeds'
import { writeAddress, writeFrame } from '../commands/links.ts'
import type { FileKind } from '../contract/file-types.ts'
import { escapeLabel, videoMarkdown } from '../contract/media-markdown.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { checkAddress, LINK_SCHEMES } from './address.ts'
import { linkMarkdown } from './link-text.ts'

/** The name of a button that inserts media. */
export type MediaKind = FileKind | 'embed'

/** The Markdown to insert, and a message about it. */
export interface MediaText {
  readonly markdown: string
  /** A message for the user, or `''`. */
  readonly note: string
}

const SOURCE = /^<iframe\b[^>]*?\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i
// The maximum length of embed code, in characters. A user may paste a whole page by mistake.
const MAX_CODE = 10_000
const VIDEO_FILE = /\.(?:mp4|m4v|webm|ogv)(?:[?#]|$)/i
/** The allowed schemes of picture and video addresses. */
export const MEDIA_SCHEMES: readonly string[] = ['http', 'https']

/** Converts an address or embed code to Markdown. A page without a player becomes a link. */
export function readMedia(
  kind: MediaKind,
  entered: string,
  label: string,
  hosts: readonly EmbedHost[],
  strings: AllStrings,
): MediaText | { readonly problem: string } {
  const isFramed = kind === 'video' || kind === 'embed'
  const schemes = kind === 'document' ? LINK_SCHEMES : MEDIA_SCHEMES
  const checked = checkAddress(isFramed ? embedAddress(entered) : entered, schemes, strings)
  if ('problem' in checked) return checked
  const { address } = checked
  const url = isFramed ? URL.parse(address) : null
  const player = url && readPlayer(url, label, hosts)
  if (player !== null) return { markdown: player, note: strings.playerInserted }
  if (kind === 'image')
    return { markdown: `![${escapeLabel(label)}](${writeAddress(address)})`, note: '' }
  if (isFramed && VIDEO_FILE.test(address))
    return { markdown: videoMarkdown(address, label), note: '' }
  if (isFramed && url === null) return { problem: strings.addressBroken }
  // If the host has no dot, the user is still typing, so there is no note.
  const note = url?.host.includes('.') ? strings.linkInstead(url.host) : ''
  return { markdown: linkMarkdown({ label, address, title: '' }), note }
}

/** Returns null if the host must not be embedded. */
function readPlayer(url: URL, title: string, hosts: readonly EmbedHost[]): string | null {
  const policy = { embeds: hosts, schemes: { media: ['https'] } }
  const player = toEmbed(url.href, policy)
  if (player !== null && title === '') return url.href
  const asked = { src: player?.['src'] ?? url.href, title, width: '640', height: '360' }
  if (toFrame(asked, policy).kind !== 'frame') return null
  return writeFrame({ ...asked, title: title || url.host })
}

/** Returns the address in an `<iframe>`. If there is no `<iframe>`, returns the value unchanged. */
function embedAddress(value: string): string {
  const at = Math.max(0, value.search(/<iframe\b/i))
  const [, double, single, plain] = SOURCE.exec(value.slice(at, at + MAX_CODE)) ?? []
  const source = (double ?? single ?? plain)?.replace(/&(?:amp|#38|#x26);/gi, '&')
  return source?.startsWith('//') ? `https:${source}` : (source ?? value)
}
