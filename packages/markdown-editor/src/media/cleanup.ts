import { extractMediaUrls } from '@quillgate/markdown'
import { findMediaIds, type MediaUrls } from '@quillgate/markdown/media-urls'
import { invalidRequest, type Logger } from '@quillgate/server/core'
import { editorError } from '../errors.ts'
import type { DeletionGuard, Installation } from './ledger/installation.ts'
import { type CanManage, managementOf } from './ledger/management.ts'
import type { MediaLedger } from './ledger/media-ledger.ts'
import { type Actor, type EditorUser, toActor } from './ledger/principal.ts'
import { parseRecordKey, type RecordKey } from './ledger/record-texts.ts'
import type { Transition } from './ledger/reference-protocol.ts'
import type { Purge } from './purge.ts'

/** The collaborators of {@link createCleanup}. */
export interface CleanupOptions {
  readonly ledger: Pick<MediaLedger, 'find' | 'get' | 'transition' | 'restore'>
  readonly purge: Purge
  readonly installation: Pick<Installation, 'deletionGuard'>
  readonly urls: Pick<MediaUrls, 'parse'>
  readonly settings: { readonly cleanupMedia: boolean; readonly orphanGrace: number }
  /** Decides who manages files of other owners. By default, no user does. */
  readonly canManage?: CanManage | undefined
  readonly clock: () => number
  readonly logger: Logger
}

/** The actor of a change. The ledger records it. */
export interface ActorOptions<User extends EditorUser = EditorUser> {
  readonly actor?: Actor<User> | undefined
}

/** Deletes files that are not needed any more. */
export interface Cleanup<User extends EditorUser = EditorUser> {
  /**
   * Orphans the files that no record references any more. Call it after the commit of a save. With
   * `orphanGrace` 0 their bytes are deleted before this resolves. It never rejects, because the
   * save is done: failures are logged, and the next sweep completes the work.
   *
   * @returns the storage keys whose bytes are gone
   */
  settle(ids: Iterable<string>, options?: ActorOptions<User>): Promise<string[]>
  /**
   * Deletes the files that `oldText` references and `newText` does not mention, unless a record
   * references them.
   *
   * Only `references.set` records which records reference which files. If an application never
   * calls it, only the texts passed here protect files; the sweep then keeps finalized files and
   * reports them as `neverReferenced`. If several users write texts, only `references.set` makes
   * this safe, because a text may mention a file of another user.
   *
   * @param options.actor whose save it is. Files that the actor does not manage are kept, unless
   * `record` was the last record that contained them. Without an actor the application answers for
   * the deletion
   * @param options.record the record that the texts belong to, passed before `references.set`
   * writes its new texts: its own reference does not protect, and is removed. Other fields of the
   * record protect; for a record with several texts pass the `field`
   * @returns the storage keys whose bytes are gone
   * @throws QuillgateError `invalid_request` (400) if a text is neither a string nor null; a URL
   * never throws
   */
  deleteOrphanedMedia(
    oldText: string | null,
    newText: string | null,
    options?: ActorOptions<User> & {
      readonly record?: (RecordKey & { readonly field?: string }) | undefined
    },
  ): Promise<string[]>
  /**
   * Deletes a file that no record references: a temporary one at once, a permanent one after
   * `orphanGrace`. The application must check whether the actor may do that.
   *
   * If the actor owns the file, only references that the owner or the application saved protect it.
   * Mentions by other users do not; their references are removed with it.
   *
   * @returns false if there is no such file any more
   * @throws QuillgateError `media_in_use` (409), `deletion_suspended` (503)
   */
  remove(id: string, options?: ActorOptions<User>): Promise<boolean>
  /** Restores an orphan before its grace ends. Returns false if there is nothing to restore. */
  restore(id: string): Promise<boolean>
}

/** Creates the cleanup of a ledger and its storage. */
export function createCleanup(options: CleanupOptions): Cleanup {
  const { ledger, installation, settings, clock, logger } = options
  return {
    async settle(given, { actor } = {}) {
      const ids = [...new Set(given)].sort()
      if (!settings.cleanupMedia || ids.length === 0) return []
      try {
        return await settleUnreferenced(options, ids, toActor(actor))
      } catch (error) {
        logger.error('Media of a saved record could not be settled; the sweep will do it.', error)
        return []
      }
    },

    async deleteOrphanedMedia(oldText, newText, { actor, record } = {}) {
      const [before, after] = [readText(oldText, 'oldText'), readText(newText, 'newText')]
      const field = record?.field === undefined ? {} : { field: record.field }
      const except = record && { ...parseRecordKey(record), ...field }
      if (!settings.cleanupMedia) return []
      const kept = findMediaIds(after)
      const dropped = [...idsOf(before, options.urls)].filter((id) => !kept.has(id)).sort()
      const ids = await managedIds(options, dropped, actor, except)
      if (ids.length === 0) return []
      const guard = await installation.deletionGuard()
      if (guard !== null) {
        warnOf(options, guard, ids)
        return []
      }
      const why = {
        reason: 'orphaned',
        actor: toActor(actor),
        ...(except ? { except } : {}),
      } as const
      return deleteNow(options, ids, { from: ['permanent', 'orphaned'], ...why })
    },

    remove: (id, { actor } = {}) => removeFile(options, id, actor),
    restore: (id) => ledger.restore(id, clock()),
  }
}

const GUARDS: Readonly<Record<DeletionGuard, string>> = {
  references_unknown:
    'Nothing is deleted before references.rebuild (`markdown-editor reindex`) has run once.',
  installation_mismatch:
    'The storage does not carry the marker of this database, so nothing in it is deleted.',
}

async function removeFile(
  options: CleanupOptions,
  id: string,
  actor: Actor | undefined,
): Promise<boolean> {
  const { ledger, installation, settings, clock } = options
  const guard = await installation.deletionGuard()
  if (guard !== null) throw editorError('deletion_suspended', GUARDS[guard])
  const medium = await ledger.get(id)
  const from = medium?.state
  if (from !== 'temporary' && from !== 'permanent' && from !== 'orphaned') return false
  const isTrash = settings.orphanGrace > 0 && from !== 'temporary'
  if (isTrash && from === 'orphaned') return true
  const to = isTrash ? 'orphaned' : 'deleting'
  const by = toActor(actor)
  const why = { reason: 'removed', actor: by, isByOwner: by === medium?.owner } as const
  if (await ledger.transition(id, { from: [from], to, at: clock(), ...why })) {
    if (to === 'deleting') await purgeOrLog(options, id)
    return true
  }
  if ((await ledger.get(id))?.state !== from) return false
  throw editorError('media_in_use', 'A record references this file. Remove it from the text first.')
}

async function settleUnreferenced(
  options: CleanupOptions,
  ids: readonly string[],
  actor: string | null,
): Promise<string[]> {
  const { ledger, installation, settings, clock } = options
  const guard = await installation.deletionGuard()
  if (guard !== null) warnOf(options, guard, ids)
  if (guard === 'references_unknown') return []
  const why = { from: ['permanent'], reason: 'orphaned', actor, wasReferenced: true } as const
  if (settings.orphanGrace === 0 && guard === null) return deleteNow(options, ids, why)
  for (const id of ids) await ledger.transition(id, { ...why, to: 'orphaned', at: clock() })
  return []
}

async function deleteNow(
  options: CleanupOptions,
  ids: Iterable<string>,
  transition: Omit<Transition, 'to' | 'at'>,
): Promise<string[]> {
  const gone: string[] = []
  for (const id of ids) {
    const at = options.clock()
    if (!(await options.ledger.transition(id, { ...transition, to: 'deleting', at }))) continue
    const key = await purgeOrLog(options, id)
    if (key !== null) gone.push(key)
  }
  return gone
}

/**
 * Purges a file. If the storage fails, the sweep tries again, because the save that caused this is
 * done.
 */
async function purgeOrLog({ purge, logger }: CleanupOptions, id: string): Promise<string | null> {
  try {
    return await purge(id)
  } catch (error) {
    logger.error(`The bytes of medium ${id} could not be removed; the sweep will try again.`, error)
    return null
  }
}

/** Returns the files that the actor manages, or that the record was the last to contain. */
async function managedIds(
  { ledger, canManage }: CleanupOptions,
  ids: readonly string[],
  actor: Actor | undefined,
  record: Transition['except'],
): Promise<readonly string[]> {
  const manages = managementOf(actor, canManage)
  if (!manages) return ids
  const managed: string[] = []
  for (const [id, medium] of await ledger.find(ids)) {
    const { savedIn } = medium
    const isLast = savedIn !== null && savedIn.type === record?.type && savedIn.id === record.id
    if (isLast || (await manages(medium))) managed.push(id)
  }
  return managed.sort()
}

function warnOf({ logger }: CleanupOptions, guard: DeletionGuard, ids: readonly string[]): void {
  if (ids.length > 0) logger.warn(`${GUARDS[guard]} Not deleted: ${ids.length} media.`, { ids })
}

/**
 * Returns the media that a text really uses: our URLs at the places where CommonMark reads a URL.
 */
function idsOf(text: string, urls: Pick<MediaUrls, 'parse'>): Set<string> {
  return new Set([...extractMediaUrls(text)].flatMap((url) => urls.parse(url)?.id ?? []))
}

function readText(text: unknown, name: string): string {
  if (text === null || text === undefined) return ''
  if (typeof text === 'string') return text
  throw invalidRequest(`${name} must be a string or null.`)
}
