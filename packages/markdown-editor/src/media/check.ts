import { createHash } from 'node:crypto'
import { checks, field, type Input, parse } from '@quillgate/server/core'
import { toNumber } from '@quillgate/server/database'
import type { Storage } from '@quillgate/storage'
import { fixedPathPrefix } from '../types/path-template.ts'
import { DifferenceList, type Differences } from './differences.ts'
import { candidatesOf, LISTED_AFTER, NEVER_REFERENCED } from './ledger/candidates.ts'
import type { DeletionGuard } from './ledger/installation.ts'
import type { LedgerDatabase } from './ledger/ledger-database.ts'
import { EXISTING, type MediaState } from './ledger/medium.ts'
import { strayObjects } from './ledger/stored-objects.ts'
import type { MediaServices } from './services.ts'

/** Differences between the database and the storage. Each list has at most 1,000 items. */
export interface CheckReport {
  /** The reason why nothing may be deleted. Null if deletion is allowed. */
  readonly stopped: DeletionGuard | null
  /**
   * The time of the last complete `references.rebuild` in milliseconds since the epoch, or null.
   */
  readonly lastRebuild: number | null
  readonly files: number
  /**
   * Files with missing bytes or a wrong length. With `verify`, also files with a wrong checksum.
   */
  readonly damaged: Differences<{ readonly id: string; readonly key: string }>
  /**
   * Permanent files that were finalized more than a day ago and that no record has ever referenced,
   * with the sum of their sizes. A sweep deletes such files only if `unsavedGrace` is set.
   */
  readonly neverReferenced: Differences<{
    readonly id: string
    readonly key: string
    readonly size: number | null
  }> & { readonly bytes: number }
  /** Storage objects that no file needs. A sweep removes old ones from the temporary folder. */
  readonly strays: Differences<{ readonly key: string }>
  /** References to files that do not exist. */
  readonly dangling: Differences<{
    readonly id: string
    readonly type: string
    readonly record: string
    readonly field: string
  }>
}

const CHECK_OPTIONS = {
  /** If true, reads every file and compares its checksum. */
  verify: field(checks.boolean, false),
}

/** Options of `editor.check`. */
export type CheckOptions = Input<typeof CHECK_OPTIONS>

/** Implements `MarkdownEditor.check`. */
export async function check(
  media: MediaServices,
  options: CheckOptions = {},
): Promise<CheckReport> {
  const { verify } = parse(CHECK_OPTIONS, options, 'check')
  const { database, installation, storage, settings } = media
  const strays = new DifferenceList<{ key: string }>()
  for (const folder of [settings.tempUploadPath, fixedPathPrefix(settings.uploadPath)]) {
    for await (const { key } of strayObjects(database, storage, folder)) strays.add({ key })
  }
  return {
    stopped: await installation.deletionGuard(),
    lastRebuild: await installation.lastRebuild(),
    ...(await checkFiles(media, verify)),
    neverReferenced: await listNeverReferenced(media),
    strays: strays.found,
    dangling: await danglingReferences(database),
  }
}

async function checkFiles(
  { database, ledger, storage, clock }: MediaServices,
  verify: boolean,
): Promise<Pick<CheckReport, 'files' | 'damaged'>> {
  const damaged = new DifferenceList<{ id: string; key: string }>()
  let files = 0
  for (const state of EXISTING) {
    const candidates = { state, time: 'createdAt', until: clock() } as const
    for await (const medium of candidatesOf(database, candidates)) {
      files++
      const { id, size, checksum } = medium
      const isMoved = state === 'permanent' || state === 'orphaned'
      const key = (isMoved && medium.key) || medium.tempKey
      const isWhole =
        (await storage.stat(key))?.size === size &&
        (!verify || (await hashOf(storage, key)) === checksum)
      // Reads the row again, because the state of the file may have changed in the meantime.
      if (!isWhole && (await ledger.get(id))?.state === state) damaged.add({ id, key })
    }
  }
  return { files, damaged: damaged.found }
}

async function listNeverReferenced(media: MediaServices): Promise<CheckReport['neverReferenced']> {
  const files = new DifferenceList<{ id: string; key: string; size: number | null }>()
  let bytes = 0
  const query = { ...NEVER_REFERENCED, until: media.clock() - LISTED_AFTER }
  for await (const { id, key, tempKey, size } of candidatesOf(media.database, query)) {
    files.add({ id, key: key ?? tempKey, size })
    bytes += size ?? 0
  }
  return { ...files.found, bytes }
}

/** Returns the SHA-256 in hexadecimal, or null if the object is missing. */
async function hashOf(storage: Pick<Storage, 'read'>, key: string): Promise<string | null> {
  const stored = await storage.read(key)
  if (!stored) return null
  const hash = createHash('sha256')
  for await (const chunk of stored.body) hash.update(chunk)
  return hash.digest('hex')
}

async function danglingReferences({ db }: LedgerDatabase): Promise<CheckReport['dangling']> {
  const gone: readonly MediaState[] = ['uploading', 'deleting', 'deleted']
  const dangling = db
    .selectFrom('mediaReference as r')
    .leftJoin('media as m', 'm.id', 'r.mediaId')
    .where((eb) => eb.or([eb('m.id', 'is', null), eb('m.state', 'in', gone)]))
  const { found } = await dangling
    .select((eb) => eb.fn.countAll().as('found'))
    .executeTakeFirstOrThrow()
  const items = await dangling
    .select(['r.mediaId as id', 'r.recordType as type', 'r.recordId as record', 'r.field'])
    .orderBy('r.mediaId')
    .orderBy('r.recordType')
    .orderBy('r.recordId')
    .orderBy('r.field')
    .limit(DifferenceList.MAX_ITEMS)
    .execute()
  return { count: toNumber(found), items }
}
