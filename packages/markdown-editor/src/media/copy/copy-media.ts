import { mediaIdOfKey } from '@quillgate/markdown/media-urls'
import { boolean, field, functionOf, type Input, optional, parse } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import {
  type CopyCounts,
  copyObjects,
  type Differences,
  OBJECT_COPY_OPTIONS,
  type ObjectCopyReport,
  type ObjectToCopy,
} from '@quillgate/storage/copy'
import type { Installation } from '../ledger/installation.ts'
import { MARKER_KEY, readMarker, writeMarker } from '../ledger/installation-marker.ts'
import type { LedgerDatabase } from '../ledger/ledger-database.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { Medium } from '../ledger/medium.ts'
import { fixedPathPrefix } from '../upload/path-template.ts'
import { countNeeded, keysOf, neededFiles, outlivedObjects } from './needed-files.ts'

/** The options of `editor.copyTo`. */
export const COPY_OPTIONS = {
  ...OBJECT_COPY_OPTIONS,
  /** True: the copy counts as complete although the source has lost some files. */
  acceptLosses: field(boolean, false),
  /** Called after each file with the progress. */
  onProgress: optional(functionOf<(progress: CopyProgress) => void>()),
}

/** How media are copied. */
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
  /**
   * Objects of files that were deleted or moved since an earlier copy; they were removed from the
   * target.
   */
  readonly removed: number
  /** Uploads that were in progress when the copy began. */
  readonly uploading: number
  /** Files that the source has lost, or has with other bytes than the ledger says. */
  readonly lost: Differences<WithId<ObjectCopyReport['lost']['items'][number]>>
  /** Files that could not be copied this time. */
  readonly failed: Differences<WithId<ObjectCopyReport['failed']['items'][number]>>
}

type WithId<Item> = Item & { readonly id: string }

/** The collaborators of {@link createCopy}. */
export interface CopyDependencies {
  readonly database: LedgerDatabase
  readonly ledger: Pick<MediaLedger, 'get'>
  /** The source. */
  readonly storage: Storage
  readonly installation: Pick<Installation, 'id'>
  readonly settings: { readonly tempUploadPath: string; readonly uploadPath: string }
}

const NOTHING = {
  ...{ files: 0, copied: 0, bytes: 0, present: 0, replaced: 0, removed: 0 },
  ...{ lost: { count: 0, items: [] }, failed: { count: 0, items: [] } },
}

/**
 * Creates the function that copies all media to another storage. It can be interrupted and
 * repeated, also while files are uploaded and deleted.
 *
 * The function throws ConfigurationError for wrong options, and QuillgateError `same_storage` when
 * the target is the present storage, `storage_failed` when nothing works.
 */
export function createCopy(
  dependencies: CopyDependencies,
): (target: Storage, options?: CopyOptions) => Promise<CopyReport> {
  const { database, storage, installation } = dependencies
  return async (target, options = {}) => {
    const { acceptLosses, onProgress, ...how } = parse(COPY_OPTIONS, options, 'copyTo')
    const { dryRun } = how
    const { files, uploading } = await countNeeded(database)
    const id = await installation.id()
    const marker = await readMarker(target)
    if (id === null || (marker !== null && marker !== id)) {
      const stopped = 'installation_mismatch'
      return { ...NOTHING, dryRun, uploading, complete: false, stopped }
    }
    const work = {
      objects: objectsOf(neededFiles(database)),
      locate: (object: ObjectToCopy) => locate(dependencies, object),
      // While the target lacks something, nothing may be deleted there.
      beforeChange: async () => void (await target.remove(MARKER_KEY)),
      onProgress: ({ files: done, copied, bytes }: CopyCounts) =>
        onProgress?.({ done, files: Math.max(done, files), copied, bytes }),
    }
    const report = await copyObjects(storage, target, work, how)
    const removed = await removeOutlived(dependencies, target, dryRun)
    const isWhole = report.failed.count === 0 && (acceptLosses || report.lost.count === 0)
    const [lost, failed] = [withIds(report.lost), withIds(report.failed)]
    const rest = { ...report, lost, failed, removed, dryRun, uploading }
    if (dryRun) return { ...rest, complete: false, stopped: null }
    const isMarked = await mark(target, isWhole ? id : null)
    const stopped = isWhole && !isMarked ? 'installation_mismatch' : null
    return { ...rest, complete: isMarked, stopped }
  }
}

/**
 * Writes our marker, or removes it for null. Returns whether the target carries ours afterwards.
 */
async function mark(target: Storage, id: string | null): Promise<boolean> {
  if (id === null) {
    await target.remove(MARKER_KEY)
    return false
  }
  await writeMarker(target, id)
  return (await readMarker(target)) === id
}

async function* objectsOf(media: AsyncIterable<Medium>): AsyncGenerator<ObjectToCopy> {
  for await (const medium of media) {
    const [key] = keysOf(medium)
    if (key !== undefined) yield toObject(medium, key)
  }
}

/** Where the object of a file is now; null if its bytes are not needed any more. */
async function locate(
  { ledger }: CopyDependencies,
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

/**
 * Removes from the target the objects that their files do not need any more since an earlier copy.
 */
async function removeOutlived(
  { database, settings }: CopyDependencies,
  target: Storage,
  dryRun: boolean,
): Promise<number> {
  let removed = 0
  for (const folder of [settings.tempUploadPath, fixedPathPrefix(settings.uploadPath)]) {
    for await (const { key } of outlivedObjects(database, target, folder)) {
      if (dryRun || (await target.remove(key))) removed++
    }
  }
  return removed
}
