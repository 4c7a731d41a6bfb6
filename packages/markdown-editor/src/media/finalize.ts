import {
  findMediaUrls,
  type MediaUrl,
  type MediaUrls,
  rewriteUrls,
} from '@quillgate/markdown/media-urls'
import { invalidRequest } from '@quillgate/server/core'
import pLimit from 'p-limit'
import { editorError } from '../errors.ts'
import type { MediaLedger } from './ledger/media-ledger.ts'
import { isTemporaryPath, type MediaState, type Medium, temporaryPath } from './ledger/medium.ts'
import type { EditorUser, Principal } from './ledger/principal.ts'
import type { Promote } from './promotion.ts'
import type { UploadHandler } from './upload/upload-handler.ts'

/** The longest text that is finalized, in bytes of UTF-8. */
export const MAX_TEXT_SIZE: number = 4 * 1024 * 1024

/** The result of finalizing a text. */
export interface Finalized {
  /** The text with its temporary URLs replaced. */
  readonly text: string
  /** Maps each temporary URL, spelled as in the text, to its permanent URL. */
  readonly replacements: Readonly<Record<string, string>>
  /**
   * Temporary URLs that are expired, unknown, or owned by another user. Callers cannot tell which.
   */
  readonly missing: readonly string[]
}

/** The collaborators of {@link createFinalizer}. */
export interface FinalizerOptions<User> {
  readonly ledger: Pick<MediaLedger, 'find'>
  readonly promote: Promote
  readonly urls: Pick<MediaUrls, 'parse' | 'build' | 'withPath'>
  /** Its `finalize`, if it has one, is called for each file. */
  readonly handler: Pick<UploadHandler, 'finalize'>
  /** The application's decision on files of other owners. Without it, only the owner finalizes. */
  readonly canManage?: ((user: User, medium: Medium) => boolean | Promise<boolean>) | undefined
}

/** Finalizes a text for a user or session. */
export type Finalize<User> = (text: string, principal: Principal<User>) => Promise<Finalized>

/**
 * Creates the function that promotes the temporary files whose URLs a text contains, also in code,
 * and rewrites the text. It can be repeated, also by two callers at once: the result is the same.
 *
 * The function throws QuillgateError `invalid_request` (400) if the text is not a string, and
 * `text_too_large` (413). Nothing that a text contains makes it throw.
 */
export function createFinalizer<User extends EditorUser>(
  options: FinalizerOptions<User>,
): Finalize<User> {
  const { ledger, urls } = options
  return async (text, principal) => {
    checkText(text)
    const places = placesIn(text, urls)
    const media = await ledger.find([...places.values()].map(({ id }) => id))
    // If the setting was changed since the upload, only the ledger knows that the URL is that of a
    // temporary file.
    const temporary = [...places].filter(
      ([, { id, path, folder }]) => folder === 'temporary' || isTemporaryPath(media.get(id), path),
    )
    const finalized = new Map<string, string | null>()
    const limit = pLimit(CONCURRENCY)
    try {
      await limit.map(new Set(temporary.map(([, { id }]) => id)), async (id) => {
        finalized.set(id, await finalizeOne(options, media.get(id), principal))
      })
    } finally {
      limit.clearQueue() // After a failure no other file is begun.
    }
    const replacements = new Map<string, string>()
    const missing = new Set<string>()
    for (const [raw, { id, url }] of temporary) {
      const target = finalized.get(id) ?? null
      if (target === null) {
        missing.add(raw)
        continue
      }
      // Query and fragment belong to the reference, not to the file.
      const moved = urls.parse(target)
      replacements.set(raw, (moved && urls.withPath(url, moved.path)) ?? target)
    }
    return {
      text: rewriteUrls(text, replacements),
      replacements: Object.fromEntries(replacements),
      missing: [...missing],
    }
  }
}

/** How many files of one text are promoted at once. They have no rows or objects in common. */
const CONCURRENCY = 8
const FINALIZABLE: readonly MediaState[] = ['temporary', 'promoting', 'permanent', 'orphaned']

/** Returns the permanent URL; null if there is no file that the caller may finalize. */
async function finalizeOne<User extends EditorUser>(
  { promote, handler, urls, canManage }: FinalizerOptions<User>,
  medium: Medium | undefined,
  { owner, user }: Principal<User>,
): Promise<string | null> {
  if (!medium || !FINALIZABLE.includes(medium.state)) return null
  if (medium.owner !== owner && !(user && (await canManage?.(user, medium)))) return null
  const promoteToUrl = async (): Promise<string | null> => {
    const key = (await promote(medium.id, { known: medium }))?.key ?? null
    return key === null ? null : urls.build(key)
  }
  if (!handler.finalize) return promoteToUrl()
  return handler.finalize(urls.build(temporaryPath(medium)), { owner, user, promote: promoteToUrl })
}

/** Returns our URLs that may be temporary, by their spelling in the text. */
function placesIn(
  text: string,
  urls: Pick<MediaUrls, 'parse'>,
): Map<string, MediaUrl & { readonly url: string }> {
  const places = new Map<string, MediaUrl & { readonly url: string }>()
  for (const { url, raw } of findMediaUrls(text)) {
    const found = places.has(raw) ? null : urls.parse(url)
    if (found && found.folder !== 'permanent') places.set(raw, { ...found, url })
  }
  return places
}

function checkText(text: unknown): void {
  if (typeof text !== 'string') throw invalidRequest('text must be a string.')
  if (Buffer.byteLength(text) > MAX_TEXT_SIZE) {
    throw editorError(
      'text_too_large',
      `The text is larger than ${MAX_TEXT_SIZE} bytes. Shorten it.`,
    )
  }
}
