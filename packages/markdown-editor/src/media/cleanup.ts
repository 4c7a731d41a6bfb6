import { extractMediaUrls } from '@quillgate/markdown'
import { findMediaIds, type MediaUrls } from '@quillgate/markdown/media-urls'
import { checks, type Input, invalidRequest, optional, parse } from '@quillgate/server/core'
import { editorError } from '../errors.ts'
import { type Actor, managementOf, toActor } from './ledger/principal.ts'
import { parseRecordKey, type RecordKey } from './ledger/record-texts.ts'
import type { Transition } from './ledger/reference-protection.ts'
import { purge } from './purge.ts'
import type { MediaServices } from './services.ts'

/** The option `actor` of a change. Without it, the application is responsible. */
export const ACTOR_OPTIONS = { actor: optional(checks.anything<Actor>()) }

const CLEANUP_OPTIONS = {
  ...ACTOR_OPTIONS,
  record: optional(checks.anything<RecordKey & { readonly field?: string }>()),
}

const MISMATCH = 'The storage does not contain the marker of this database, so no file is deleted.'

/** Implements `MediaReferences.settle`. */
export async function settle(
  media: MediaServices,
  given: Iterable<string>,
  options: Input<typeof ACTOR_OPTIONS> = {},
): Promise<string[]> {
  const actor = toActor(parse(ACTOR_OPTIONS, options, 'references.settle').actor)
  const { ledger, installation, settings, clock, logger } = media
  const ids = [...new Set(given)].sort()
  if (!settings.cleanupMedia || ids.length === 0) return []
  try {
    const why = { from: ['permanent'], reason: 'orphaned', actor, wasReferenced: true } as const
    const isGuarded = (await installation.deletionGuard()) !== null
    if (isGuarded) warnOf(media, ids)
    else if (settings.orphanGrace === 0) return await deleteNow(media, ids, why)
    for (const id of ids) await ledger.transition(id, { ...why, to: 'orphaned', at: clock() })
  } catch (error) {
    const message =
      'The record is saved, but the states of its media were not updated. The next sweep will update them.'
    logger.error(message, error)
  }
  return []
}

/** Implements `MarkdownEditor.deleteOrphanedMedia`. */
export async function deleteOrphanedMedia(
  media: MediaServices,
  oldText: string | null,
  newText: string | null,
  options: Input<typeof CLEANUP_OPTIONS> = {},
): Promise<string[]> {
  const { actor, record } = parse(CLEANUP_OPTIONS, options, 'deleteOrphanedMedia')
  const [before, after] = [readText(oldText, 'oldText'), readText(newText, 'newText')]
  const except = record && { ...parseRecordKey(record), field: record.field }
  if (!media.settings.cleanupMedia) return []
  const kept = findMediaIds(after)
  const dropped = [...idsOf(before, media.urls)].filter((id) => !kept.has(id)).sort()
  const ids = await managedIds(media, dropped, actor, except)
  if (ids.length === 0) return []
  if ((await media.installation.deletionGuard()) !== null) {
    warnOf(media, ids)
    return []
  }
  return deleteNow(media, ids, {
    from: ['permanent', 'orphaned'],
    reason: 'orphaned',
    actor: toActor(actor),
    except,
  })
}

/** Implements `EditorMedia.remove`. */
export async function removeFile(
  media: MediaServices,
  id: string,
  options: Input<typeof ACTOR_OPTIONS> = {},
): Promise<boolean> {
  const { ledger, installation, settings, clock } = media
  const actor = toActor(parse(ACTOR_OPTIONS, options, 'media.remove').actor)
  if ((await installation.deletionGuard()) !== null)
    throw editorError('deletion_suspended', MISMATCH)
  const medium = await ledger.get(id)
  const from = medium?.state
  if (from !== 'temporary' && from !== 'permanent' && from !== 'orphaned') return false
  const isTrash = settings.orphanGrace > 0 && from !== 'temporary'
  if (isTrash && from === 'orphaned') return true
  const to = isTrash ? 'orphaned' : 'deleting'
  const why = { reason: 'removed', actor, isByOwner: actor === medium?.owner } as const
  if (await ledger.transition(id, { from: [from], to, at: clock(), ...why })) {
    if (to === 'deleting') await purgeOrLog(media, id)
    return true
  }
  if ((await ledger.get(id))?.state !== from) return false
  throw editorError('media_in_use', 'A record references this file. Remove it from the text first.')
}

async function deleteNow(
  media: MediaServices,
  ids: Iterable<string>,
  transition: Omit<Transition, 'to' | 'at'>,
): Promise<string[]> {
  const gone: string[] = []
  for (const id of ids) {
    const at = media.clock()
    if (!(await media.ledger.transition(id, { ...transition, to: 'deleting', at }))) continue
    const key = await purgeOrLog(media, id)
    if (key !== null) gone.push(key)
  }
  return gone
}

/** Only logs errors, because the next sweep tries again. */
async function purgeOrLog(media: MediaServices, id: string): Promise<string | null> {
  try {
    return await purge(media, id)
  } catch (error) {
    const message = `The bytes of medium ${id} could not be removed. The next sweep will try again.`
    media.logger.error(message, error)
    return null
  }
}

/** A file that was last saved in this record also counts as managed. */
async function managedIds(
  { ledger, canManage }: MediaServices,
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

function warnOf({ logger }: Pick<MediaServices, 'logger'>, ids: readonly string[]): void {
  logger.warn(`${MISMATCH} ${ids.length} media were not deleted.`, { ids })
}

/** Returns the media ids in the URLs that CommonMark recognizes in a text. */
function idsOf(text: string, urls: Pick<MediaUrls, 'parse'>): Set<string> {
  return new Set([...extractMediaUrls(text)].flatMap((url) => urls.parse(url)?.id ?? []))
}

function readText(text: unknown, name: string): string {
  if (text === null || text === undefined) return ''
  if (typeof text === 'string') return text
  throw invalidRequest(`${name} must be a string or null.`)
}
