import { mediaIdOfKey } from '@quillgate/markdown/media-urls'
import { checks, field, type Input, optional, parse } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import {
  type CopyCounts,
  copyObjects,
  type Differences,
  OBJECT_COPY_OPTIONS,
  type ObjectCopyReport,
  type ObjectToCopy,
} from '@quillgate/storage/copy'
import { fixedPathPrefix } from '../types/path-template.ts'
import { MARKER_KEY, readMarker, writeMarker } from './ledger/installation.ts'
import { type LedgerDatabase, toMedium } from './ledger/ledger-database.ts'
import { isExisting, type Medium } from './ledger/medium.ts'
import type { LedgerRows } from './ledger/schema.ts'
import { releasedObjects } from './ledger/stored-objects.ts'
import type { MediaServices } from './services.ts'
import { countFiles } from './sweep/candidates.ts'

const COPY_OPTIONS = {
  ...OBJECT_COPY_OPTIONS,
  /** True: the copy counts as complete although the source has lost some files. */
  acceptLosses: field(checks.boolean, false),
  /** Called after each file with the progress. */
  onProgress: optional(checks.functionOf<(progress: CopyProgress) => void>()),
}

/** Options of `editor.copyTo`. */
export type CopyOptions = Input<typeof COPY_OPTIONS>

/** The progress of a copy. */
export interface CopyProgress {
  /** Files of the ledger that were handled, of this many at the start. */
  readonly done: number
  readonly files: number
  /** Objects and bytes that were copied. */
  readonly copied: number
  readonly bytes: number
}

/** The result of `editor.copyTo`. */
export interface CopyReport extends CopyCounts {
  readonly dryRun: boolean
  /** The target carries the marker of another installation, so nothing was copied. */
  readonly stopped: 'installation_mismatch' | null
  /**
   * The target has every file that the ledger had when the copy began, and carries our marker,
   * without which nothing is deleted there. Later uploads need another copy.
   */
  readonly complete: boolean
  /** Objects that were removed from the target: their files were deleted or moved since a copy. */
  readonly removed: number
  /** Uploads that were in progress when the copy began. */
  readonly uploading: number
  /** Files that the source has lost, or has with other bytes than the ledger says. */
  readonly lost: Differences<WithId<ObjectCopyReport['lost']['items'][number]>>
  /** Files that could not be copied this time. */
  readonly failed: Differences<WithId<ObjectCopyReport['failed']['items'][number]>>
}

type WithId<Item> = Item & { readonly id: string }

const NONE = { count: 0, items: [] }
const NOTHING = { files: 0, copied: 0, bytes: 0, present: 0, replaced: 0, removed: 0 }

/**
 * Copies all media to another storage. It can be interrupted and repeated, also while files are
 * uploaded and deleted.
 *
 * @throws ConfigurationError for wrong options; QuillgateError `same_storage` when the target is the
 * present storage, `storage_failed` when nothing works
 */
export async function copyTo(
  media: MediaServices,
  target: Storage,
  options: CopyOptions = {},
): Promise<CopyReport> {
  const { acceptLosses, onProgress, ...how } = parse(COPY_OPTIONS, options, 'copyTo')
  const { dryRun } = how
  const { database, installation } = media
  const files = await countFiles(database)
  const uploading = await countFiles(database, ['uploading'])
  const id = await installation.id()
  const marker = await readMarker(target)
  if (id === null || (marker !== null && marker !== id)) {
    const counts = { ...NOTHING, lost: NONE, failed: NONE, dryRun, uploading }
    return { ...counts, complete: false, stopped: 'installation_mismatch' }
  }
  const work = {
    objects: objectsOf(neededFiles(database)),
    locate: (object: ObjectToCopy) => locate(media, object),
    // While the target lacks something, nothing may be deleted there.
    beforeChange: async () => void (await target.remove(MARKER_KEY)),
    onProgress: ({ files: done, copied, bytes }: CopyCounts) =>
      onProgress?.({ done, files: Math.max(done, files), copied, bytes }),
  }
  const report = await copyObjects(media.storage, target, work, how)
  const removed = await removeReleased(media, target, dryRun)
  const isWhole = report.failed.count === 0 && (acceptLosses || report.lost.count === 0)
  const [lost, failed] = [withIds(report.lost), withIds(report.failed)]
  const rest = { ...report, lost, failed, removed, dryRun, uploading }
  if (dryRun) return { ...rest, complete: false, stopped: null }
  if (!isWhole) await target.remove(MARKER_KEY)
  const complete = isWhole && (await writeMarker(target, id))
  return { ...rest, complete, stopped: isWhole && !complete ? 'installation_mismatch' : null }
}

const PAGE = 500

/**
 * Reads the files whose bytes are needed, page by page. They are read in the order of their ids,
 * which never change: a file that changes its state meanwhile is not missed.
 *
 * @param pageSize rows read at once
 */
export async function* neededFiles(
  { db }: LedgerDatabase,
  pageSize: number = PAGE,
): AsyncGenerator<Medium> {
  let page: LedgerRows['media'][]
  let id = ''
  do {
    // Without the states: by them SQLite would read and sort all files for each page.
    page = await db
      .selectFrom('media')
      .selectAll()
      .where('id', '>', id)
      .orderBy('id')
      .limit(pageSize)
      .execute()
    for (const row of page) if (isExisting(row.state)) yield toMedium(row)
    id = page.at(-1)?.id ?? ''
  } while (page.length === pageSize)
}

/** Returns the keys at which the bytes of a file may be, in order; none if they are not needed. */
function keysOf({ state, tempKey, key }: Medium): readonly string[] {
  if (!isExisting(state)) return []
  if (key === null) return [tempKey]
  return state === 'promoting' ? [tempKey, key] : [key]
}

async function* objectsOf(files: AsyncIterable<Medium>): AsyncGenerator<ObjectToCopy> {
  for await (const medium of files) {
    const [key] = keysOf(medium)
    if (key !== undefined) yield toObject(medium, key)
  }
}

/** Returns where the object of a file is now; null if its bytes are not needed any more. */
async function locate(
  { ledger }: MediaServices,
  { key }: ObjectToCopy,
): Promise<ObjectToCopy | null> {
  const medium = await ledger.get(mediaIdOfKey(key))
  const keys = medium ? keysOf(medium) : []
  // While a file is promoted, its bytes are under the first key, then under the second.
  const next = keys[Math.min(keys.indexOf(key) + 1, keys.length - 1)]
  return medium && next !== undefined ? toObject(medium, next) : null
}

function toObject({ size, checksum, type }: Medium, key: string): ObjectToCopy {
  return { key, size: size ?? 0, checksum: checksum ?? '', type }
}

function withIds<Item extends { readonly key: string }>({
  count,
  items,
}: Differences<Item>): Differences<WithId<Item>> {
  return { count, items: items.map((item) => ({ ...item, id: mediaIdOfKey(item.key) })) }
}

async function removeReleased(
  { database, settings }: MediaServices,
  target: Storage,
  dryRun: boolean,
): Promise<number> {
  let removed = 0
  for (const folder of [settings.tempUploadPath, fixedPathPrefix(settings.uploadPath)]) {
    for await (const { key } of releasedObjects(database, target, folder))
      if (dryRun || (await target.remove(key))) removed++
  }
  return removed
}
