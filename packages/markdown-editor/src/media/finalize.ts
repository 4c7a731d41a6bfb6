import {
  findMediaUrls,
  type MediaUrl,
  type MediaUrls,
  rewriteUrls,
} from '@quillgate/markdown/media-urls'
import { invalidRequest } from '@quillgate/server/core'
import pLimit from 'p-limit'
import { editorError } from '../errors.ts'
import { isExisting, isTemporaryPath, type Medium, temporaryPath } from './ledger/medium.ts'
import type { Principal } from './ledger/principal.ts'
import { promote } from './promotion.ts'
import type { MediaServices } from './services.ts'

/** The maximum size of a text in bytes of UTF-8. */
export const MAX_TEXT_SIZE: number = 4 * 1024 * 1024
/**
 * The maximum number of files that become permanent at the same time. Concurrency is safe, because
 * two files never share a row or an object.
 */
const CONCURRENCY = 8

/** The result of finalizing a text. */
export interface Finalized {
  /** The text with permanent URLs instead of temporary URLs. */
  readonly text: string
  /** Maps each temporary URL, spelled as in the text, to its permanent URL. */
  readonly replacements: Readonly<Record<string, string>>
  /**
   * Temporary URLs that are expired, unknown, or owned by another user. Callers cannot tell which.
   */
  readonly missing: readonly string[]
}

/**
 * Makes the temporary files in a text permanent, and replaces their URLs, even in code. Calls can
 * be repeated and can overlap. Apart from its size, a text never causes an error.
 */
export async function finalize(
  media: MediaServices,
  text: string,
  principal: Principal,
): Promise<Finalized> {
  checkText(text)
  const { urls } = media
  const occurrences = occurrencesIn(text, urls)
  const known = await media.ledger.find([...occurrences.values()].map(({ id }) => id))
  // After a change of `tempUploadPath`, only the ledger shows that an old URL is temporary.
  const temporary = [...occurrences].filter(
    ([, { id, path, folder }]) => folder === 'temporary' || isTemporaryPath(known.get(id), path),
  )
  const finalized = new Map<string, string | null>()
  const limit = pLimit(CONCURRENCY)
  try {
    await limit.map(new Set(temporary.map(([, { id }]) => id)), async (id) => {
      finalized.set(id, await finalizeOne(media, known.get(id), principal))
    })
  } finally {
    limit.clearQueue() // After an error, no further file is finalized.
  }
  const replacements = new Map<string, string>()
  const missing = new Set<string>()
  for (const [raw, { id, url }] of temporary) {
    const target = finalized.get(id)
    // Keeps the query and the fragment of the URL in the text.
    const moved = target ? urls.parse(target) : null
    if (target) replacements.set(raw, (moved && urls.withPath(url, moved.path)) ?? target)
    else missing.add(raw)
  }
  return {
    text: rewriteUrls(text, replacements),
    replacements: Object.fromEntries(replacements),
    missing: [...missing],
  }
}

/** Returns the permanent URL, or null if the file is missing or may not be finalized. */
async function finalizeOne(
  media: MediaServices,
  medium: Medium | undefined,
  { owner, user }: Principal,
): Promise<string | null> {
  const { handler, urls, canManage } = media
  if (!medium || !isExisting(medium.state)) return null
  if (medium.owner !== owner && !(user && (await canManage?.(user, medium)))) return null
  const promoteToUrl = async (): Promise<string | null> => {
    const key = (await promote(media, medium))?.key ?? null
    return key === null ? null : urls.build(key)
  }
  if (!handler.finalize) return promoteToUrl()
  return handler.finalize(urls.build(temporaryPath(medium)), { owner, user, promote: promoteToUrl })
}

type Occurrence = MediaUrl & { readonly url: string }

/** Returns the URLs that may belong to temporary files, by their spelling in the text. */
function occurrencesIn(text: string, urls: Pick<MediaUrls, 'parse'>): Map<string, Occurrence> {
  const occurrences = new Map<string, Occurrence>()
  for (const { url, raw } of findMediaUrls(text)) {
    const found = occurrences.has(raw) ? null : urls.parse(url)
    if (found && found.folder !== 'permanent') occurrences.set(raw, { ...found, url })
  }
  return occurrences
}

function checkText(text: unknown): void {
  if (typeof text !== 'string') throw invalidRequest('text must be a string.')
  if (Buffer.byteLength(text) > MAX_TEXT_SIZE)
    throw editorError(
      'text_too_large',
      `The text is larger than ${MAX_TEXT_SIZE} bytes. Shorten it.`,
    )
}
