import { extractMediaUrls } from '@quillgate/markdown'
import { findMediaIds, type MediaUrls } from '@quillgate/markdown/media-urls'
import { invalidRequest, type Logger, type UserId } from '@quillgate/server/core'
import { editorError } from '../errors.ts'
import type { Eraser } from './eraser.ts'
import type { DeletionBan, Installation } from './ledger/installation.ts'
import type { MediaLedger } from './ledger/media-ledger.ts'
import type { Departure } from './ledger/reference-protocol.ts'
import { type CanManage, managementOf } from './management.ts'
import { type Actor, toActor } from './owner.ts'
import { parseRecordKey, type RecordKey } from './record-texts.ts'

/** What {@link createCleanup} needs. */
export interface CleanupOptions {
  readonly ledger: Pick<MediaLedger, 'find' | 'get' | 'leave' | 'restore'>
  readonly eraser: Eraser
  readonly installation: Pick<Installation, 'banOnDeletion'>
  readonly urls: Pick<MediaUrls, 'parse'>
  readonly settings: { readonly cleanupMedia: boolean; readonly orphanGrace: number }
  /** Who manages files of others; without it nobody. */
  readonly canManage?: CanManage
  readonly clock: () => number
  readonly logger: Logger
}

/** Who does it: the user, an anonymous session, or `{ label }` for a job of the application. The ledger keeps it. */
export interface ActorOptions<User extends { readonly id: UserId } = { readonly id: UserId }> {
  readonly actor?: Actor<User> | undefined
}

/** Takes away files that are not needed any more. */
export interface Cleanup<User extends { readonly id: UserId } = { readonly id: UserId }> {
  /**
   * After the commit of a save: orphans those of the files that no record references any more. With `orphanGrace` 0
   * their bytes are gone when this resolves. The save is done, so this never rejects: what a crash, a broken database
   * or a broken storage left is logged, and the sweep completes it.
   *
   * @returns storage keys whose bytes are gone
   */
  settle(ids: Iterable<string>, options?: ActorOptions<User>): Promise<string[]>
  /**
   * Deletes at once what `oldText` references and `newText` does not mention, unless a record references it.
   *
   * Which records reference which files is known from `references.set` only. Where an application never calls it, the
   * texts that it gives here are all that protects; the sweep then keeps finalized files and reports them as `neverReferenced`.
   * Where several users write texts, only `references.set` makes this safe: one may have mentioned a file of another.
   *
   * @param options.actor whose save it is: files that neither belong to them nor are theirs by `canManage` stay, but
   * for those that `record` held. Without an actor the application answers for it
   * @param options.record the record that the texts belong to, named before `references.set` writes its new texts: its
   * own reference does not protect, and is removed. Other fields of the record protect; for a record with several texts
   * name the `field`
   * @returns storage keys whose bytes are gone
   * @throws QuillgateError `invalid_request` (400) when a text is neither string nor null; a URL never throws
   */
  deleteOrphanedMedia(
    oldText: string | null,
    newText: string | null,
    options?: ActorOptions<User> & {
      readonly record?: (RecordKey & { readonly field?: string }) | undefined
    },
  ): Promise<string[]>
  /**
   * Takes a file away that no record references: a temporary one at once, a permanent one after `orphanGrace`. Whether
   * the actor may do that is for the application to check.
   *
   * When the actor is the owner of the file, only references protect it that the owner saved, or the application without
   * an actor. Texts of other users that mention it do not: their references are removed with it.
   *
   * @returns false when there is no such file (any more)
   * @throws QuillgateError `media_in_use` (409), `deletion_suspended` (503)
   */
  remove(id: string, options?: ActorOptions<User>): Promise<boolean>
  /** Brings an orphan back before its grace ends; false when there is nothing to bring back. */
  restore(id: string): Promise<boolean>
}

/** Makes the cleanup of a ledger and its storage. */
export function createCleanup(options: CleanupOptions): Cleanup {
  const { ledger, eraser, installation, urls, settings, canManage, clock, logger } = options

  /** A storage that fails is left to the sweep, for the save that caused this is done. */
  const erase = async (id: string): Promise<string | null> => {
    try {
      return await eraser.erase(id)
    } catch (error) {
      logger.error(
        `The bytes of medium ${id} could not be removed; the sweep will try again.`,
        error,
      )
      return null
    }
  }

  const deleteNow = async (
    ids: Iterable<string>,
    departure: Omit<Departure, 'to' | 'at'>,
  ): Promise<string[]> => {
    const gone: string[] = []
    for (const id of ids) {
      if (!(await ledger.leave(id, { ...departure, to: 'deleting', at: clock() }))) continue
      const key = await erase(id)
      if (key !== null) gone.push(key)
    }
    return gone
  }

  /** Those that the actor decides on: what they manage, and what the record held. */
  const managedOf = async (
    ids: readonly string[],
    actor: Actor | undefined,
    record: Departure['except'],
  ): Promise<readonly string[]> => {
    const manages = managementOf(actor, canManage)
    if (!manages) return ids
    const managed: string[] = []
    for (const [id, medium] of await ledger.find(ids)) {
      const { savedIn } = medium
      const isHolder = savedIn !== null && savedIn.type === record?.type && savedIn.id === record.id
      if (isHolder || (await manages(medium))) managed.push(id)
    }
    return managed.sort()
  }

  const warnOf = (ban: DeletionBan, ids: readonly string[]): void => {
    if (ids.length > 0) logger.warn(`${BANS[ban]} Not deleted: ${ids.length} media.`, { ids })
  }

  const orphan = async (ids: readonly string[], actor: string | null): Promise<string[]> => {
    const ban = await installation.banOnDeletion()
    if (ban !== null) warnOf(ban, ids)
    if (ban === 'references_unknown') return []
    const departure = {
      from: ['permanent'],
      reason: 'orphaned',
      actor,
      wasReferenced: true,
    } as const
    if (settings.orphanGrace === 0 && ban === null) return deleteNow(ids, departure)
    for (const id of ids) await ledger.leave(id, { ...departure, to: 'orphaned', at: clock() })
    return []
  }

  return {
    async settle(given, { actor } = {}) {
      const ids = [...new Set(given)].sort()
      if (!settings.cleanupMedia || ids.length === 0) return []
      try {
        return await orphan(ids, toActor(actor))
      } catch (error) {
        logger.error('Media of a saved record could not be settled; the sweep will do it.', error)
        return []
      }
    },

    async deleteOrphanedMedia(oldText, newText, { actor, record } = {}) {
      const [before, after] = [readText(oldText, 'oldText'), readText(newText, 'newText')]
      const field = record?.field
      const except = record && {
        ...parseRecordKey(record),
        ...(field === undefined ? {} : { field }),
      }
      if (!settings.cleanupMedia) return []
      const kept = findMediaIds(after)
      const mentioned = [...idsOf(before, urls)].filter((id) => !kept.has(id)).sort()
      const ids = await managedOf(mentioned, actor, except)
      if (ids.length === 0) return []
      const ban = await installation.banOnDeletion()
      if (ban !== null) {
        warnOf(ban, ids)
        return []
      }
      const from = ['permanent', 'orphaned'] as const
      return deleteNow(ids, {
        from,
        reason: 'orphaned',
        actor: toActor(actor),
        ...(except ? { except } : {}),
      })
    },

    async remove(id, { actor } = {}) {
      const ban = await installation.banOnDeletion()
      if (ban !== null) throw editorError('deletion_suspended', BANS[ban])
      const medium = await ledger.get(id)
      const from = medium?.state
      if (from !== 'temporary' && from !== 'permanent' && from !== 'orphaned') return false
      const isTrash = settings.orphanGrace > 0 && from !== 'temporary'
      if (isTrash && from === 'orphaned') return true
      const to = isTrash ? 'orphaned' : 'deleting'
      const by = toActor(actor)
      const isByOwner = by === medium?.owner
      if (
        await ledger.leave(id, {
          from: [from],
          to,
          reason: 'removed',
          actor: by,
          at: clock(),
          isByOwner,
        })
      ) {
        if (to === 'deleting') await erase(id)
        return true
      }
      if ((await ledger.get(id))?.state !== from) return false
      throw editorError(
        'media_in_use',
        'A record references this file. Remove it from the text first.',
      )
    },

    restore: (id) => ledger.restore(id, clock()),
  }
}

const BANS: Readonly<Record<DeletionBan, string>> = {
  references_unknown:
    'Nothing is deleted before references.rebuild (`markdown-editor reindex`) has run once.',
  installation_mismatch:
    'The storage does not carry the marker of this database, so nothing in it is deleted.',
}

/** The media that a text really uses: URLs of ours at the places where CommonMark reads a URL. */
function idsOf(text: string, urls: Pick<MediaUrls, 'parse'>): Set<string> {
  return new Set([...extractMediaUrls(text)].flatMap((url) => urls.parse(url)?.id ?? []))
}

function readText(text: unknown, name: string): string {
  if (text === null || text === undefined) return ''
  if (typeof text === 'string') return text
  throw invalidRequest(`${name} must be a string or null.`)
}
