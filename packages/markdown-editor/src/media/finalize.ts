import {
  findMediaUrls,
  type MediaUrl,
  type MediaUrls,
  rewriteUrls,
} from '@quillgate/markdown/media-urls'
import { invalidRequest, type UserId } from '@quillgate/server/core'
import { editorError } from '../errors.ts'
import { forEachConcurrently } from './for-each-concurrently.ts'
import type { MediaLedger } from './ledger/media-ledger.ts'
import type { MediaState, Medium } from './ledger/medium.ts'
import type { Promotion } from './promotion.ts'
import type { UploadHandler } from './upload/upload-handler.ts'

/** What a text came to. */
export interface Finalized {
  /** The text with its temporary URLs replaced. */
  readonly text: string
  /** From each temporary URL, spelled as in the text, to its permanent URL. */
  readonly replacements: Readonly<Record<string, string>>
  /**
   * Temporary URLs that lead to no file of this owner: expired, unknown or somebody else's, which is not told apart.
   */
  readonly missing: readonly string[]
}

/** For whom a text is finalized, as the ledger knows it. */
export interface Finalizer<User> {
  /** `user:<id>` or `anon:<session>`. */
  readonly owner: string
  /** For `canManage`; null for an anonymous session. */
  readonly user: User | null
}

/** What {@link createFinalizer} needs. */
export interface FinalizerOptions<User> {
  readonly ledger: Pick<MediaLedger, 'find'>
  readonly promotion: Promotion
  readonly urls: Pick<MediaUrls, 'parse' | 'build' | 'buildPermanent' | 'withPath'>
  /** Its `finalize`, where there is one, is asked for each file. */
  readonly handler: Pick<UploadHandler, 'finalize'>
  /** True: everybody sees permanent files at once (`publicUrl`), so one that the scanner holds back stays temporary. */
  readonly isPublic: boolean
  /** Longest text in bytes of UTF-8. */
  readonly maxTextSize: number
  /** The application's word on files of others; without it only the owner finalizes. */
  readonly canManage?: (user: User, medium: Medium) => boolean | Promise<boolean>
}

/** Finalizes a text. */
export type Finalize<User> = (text: string, finalizer: Finalizer<User>) => Promise<Finalized>

/**
 * Makes the function that promotes the temporary files whose URLs a text contains, in code too, and rewrites the
 * text. It can be called again, and twice at once: the answer is the same.
 *
 * The function throws QuillgateError `invalid_request` (400) when the text is no string, and `text_too_large`
 * (413); nothing that stands in a text ever throws.
 */
export function createFinalizer<User extends { readonly id: UserId }>(
  options: FinalizerOptions<User>,
): Finalize<User> {
  const { ledger, promotion, handler, urls, isPublic, maxTextSize, canManage } = options

  const mayFinalize = async (
    medium: Medium,
    { owner, user }: Finalizer<User>,
  ): Promise<boolean> => {
    if (medium.owner === owner) return true
    return user !== null && canManage !== undefined && (await canManage(user, medium))
  }

  /** The permanent URL; null when there is no file that the caller may finalize. */
  const finalizeOne = async (
    medium: Medium | undefined,
    who: Finalizer<User>,
  ): Promise<string | null> => {
    if (!medium || !FINALIZABLE.includes(medium.state) || !(await mayFinalize(medium, who)))
      return null
    if (medium.heldAt !== null && isPublic) return null
    const promote = async (): Promise<string | null> => {
      const key = (await promotion.promote(medium.id, { known: medium }))?.key ?? null
      return key === null ? null : urls.buildPermanent(key)
    }
    return handler.finalize
      ? handler.finalize(urls.build(medium.tempKey), { ...who, promote })
      : promote()
  }

  return async (text, who) => {
    checkText(text, maxTextSize)
    const replacements = new Map<string, string>()
    const missing = new Set<string>()
    const places = placesIn(text, urls)
    const media = await ledger.find([...places.values()].map(({ id }) => id))
    // The setting may have changed since the upload; then the ledger knows that the URL is that of a temporary file.
    const temporary = [...places].filter(
      ([, { id, path, folder }]) => folder === 'temporary' || path === media.get(id)?.tempKey,
    )
    const finalized = new Map<string, string | null>()
    await forEachConcurrently(new Set(temporary.map(([, { id }]) => id)), AT_ONCE, async (id) => {
      finalized.set(id, await finalizeOne(media.get(id), who))
    })
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

/**
 * Files of one text that are promoted at the same time. Each has rows and objects of its own: none waits for another.
 */
const AT_ONCE = 8
const FINALIZABLE: readonly MediaState[] = ['temporary', 'promoting', 'permanent', 'orphaned']

/** URLs of ours that may be temporary, by their spelling in the text. */
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

function checkText(text: unknown, longest: number): void {
  if (typeof text !== 'string') throw invalidRequest('text must be a string.')
  if (Buffer.byteLength(text) > longest) {
    throw editorError('text_too_large', `The text is larger than ${longest} bytes. Shorten it.`)
  }
}
