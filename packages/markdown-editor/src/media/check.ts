import { createHash } from 'node:crypto'
import { boolean, field, type Input } from '@quillgate/server/core'
import { toNumber } from '@quillgate/server/database'
import type { Storage, StoredObject } from '@quillgate/storage'
import { createDifferenceList, type Differences, MAX_ITEMS } from '@quillgate/storage/copy'
import type { Installation } from './ledger/installation.ts'
import type { LedgerDatabase } from './ledger/ledger-database.ts'
import type { MediaLedger } from './ledger/media-ledger.ts'
import type { MediaState } from './ledger/medium.ts'
import {
  candidatesOf,
  deletionLimit,
  LISTED_AFTER,
  neverReferenced,
  strayObjects,
} from './sweep/candidates.ts'
import type { SweepReport } from './sweep/sweep-report.ts'
import { fixedPathPrefix } from './upload/path-template.ts'

/** Differences between ledger and storage. Each list holds the first 1,000, its count holds all. */
export interface CheckReport {
  /**
   * Why nothing is deleted at present; null when all is well. `too_many`: `deleteStrays` would
   * delete more than max(1,000, 5 %), use `force`.
   */
  readonly stopped: SweepReport['stopped']
  /** When `references.rebuild` last ended, in milliseconds; null: never. */
  readonly lastRebuild: number | null
  /** Files that exist by the ledger. */
  readonly files: number
  /**
   * Files whose bytes are missing, or of another length than recorded; with `verify`, or are not
   * what was uploaded.
   */
  readonly damaged: Differences<{ readonly id: string; readonly key: string }>
  /**
   * Permanent files that were finalized more than a day ago, and that no record has ever
   * referenced; and their size in bytes together. A mention by a user who does not manage the file
   * does not count. The files are kept unless the setting `unsavedGrace` is given.
   */
  readonly neverReferenced: Differences<{
    readonly id: string
    readonly key: string
    readonly size: number | null
  }> & { readonly bytes: number }
  /** Objects that no file of the ledger needs; the sweep removes those of the temporary folder. */
  readonly strays: Differences<{ readonly key: string }>
  /** How many strays were deleted. */
  readonly deleted: number
  /** References to files that are gone. */
  readonly dangling: Differences<{
    readonly id: string
    readonly type: string
    readonly record: string
    readonly field: string
  }>
}

/** The options of a check. */
export const CHECK_OPTIONS = {
  /** True: delete strays older than a day, temporary and permanent ones. */
  deleteStrays: field(boolean, false),
  /** True: delete even more than max(1,000, 5 % of all files). */
  force: field(boolean, false),
  /** True: read every byte and compare its checksum. */
  verify: field(boolean, false),
}

/** How ledger and storage are compared. */
export type CheckOptions = Input<typeof CHECK_OPTIONS>

/** The collaborators of {@link createCheck}. */
export interface CheckDependencies {
  readonly database: LedgerDatabase
  readonly ledger: Pick<MediaLedger, 'get'>
  readonly storage: Pick<Storage, 'list' | 'stat' | 'read' | 'remove'>
  readonly installation: Pick<Installation, 'deletionGuard' | 'lastRebuild'>
  readonly settings: { readonly tempUploadPath: string; readonly uploadPath: string }
  readonly clock: () => number
}

/** Milliseconds; younger objects may belong to a step that is under way. */
const STRAY_AGE = 86_400_000

/**
 * Makes the function that compares ledger and storage; it changes nothing but, where asked to,
 * strays.
 */
export function createCheck(
  dependencies: CheckDependencies,
): (options?: CheckOptions) => Promise<CheckReport> {
  const { database, ledger, storage, installation, clock } = dependencies
  return async ({ deleteStrays = false, force = false, verify = false } = {}) => {
    const ban = await installation.deletionGuard()
    const damaged = createDifferenceList<{ id: string; key: string }>()
    let files = 0
    for (const state of ['temporary', 'promoting', 'permanent', 'orphaned'] as const) {
      for await (const medium of candidatesOf(database, {
        state,
        time: 'createdAt',
        until: clock(),
      })) {
        files++
        const { id, size, checksum, tempKey } = medium
        const key =
          state === 'temporary' || state === 'promoting' ? tempKey : (medium.key ?? tempKey)
        const isWhole =
          (await storage.stat(key))?.size === size &&
          (!verify || (await hashOf(storage, key)) === checksum)
        // The file may have changed its state since its row was read.
        if (!isWhole && (await ledger.get(id))?.state === state) damaged.add({ id, key })
      }
    }
    const strays = createDifferenceList<{ key: string }>()
    for await (const { key } of allStrays(dependencies)) strays.add({ key })
    const isTooMuch = deleteStrays && !force && strays.found.count > deletionLimit(files)
    const stopped = ban ?? (isTooMuch ? 'too_many' : null)
    return {
      stopped,
      lastRebuild: await installation.lastRebuild(),
      files,
      damaged: damaged.found,
      neverReferenced: await listNeverReferenced(dependencies),
      strays: strays.found,
      deleted: deleteStrays && stopped === null ? await removeStrays(dependencies) : 0,
      dangling: await danglingReferences(database),
    }
  }
}

async function listNeverReferenced({
  database,
  clock,
}: CheckDependencies): Promise<CheckReport['neverReferenced']> {
  const files = createDifferenceList<{ id: string; key: string; size: number | null }>()
  let bytes = 0
  for await (const { id, key, tempKey, size } of neverReferenced(database, {
    until: clock() - LISTED_AFTER,
  })) {
    files.add({ id, key: key ?? tempKey, size })
    bytes += size ?? 0
  }
  return { ...files.found, bytes }
}

/** SHA-256 of an object, hexadecimal; null when it is gone. */
async function hashOf(storage: Pick<Storage, 'read'>, key: string): Promise<string | null> {
  const stored = await storage.read(key)
  if (!stored) return null
  const hash = createHash('sha256')
  for await (const chunk of stored.body) hash.update(chunk)
  return hash.digest('hex')
}

async function* allStrays({
  database,
  storage,
  settings,
}: CheckDependencies): AsyncGenerator<StoredObject> {
  const { tempUploadPath, uploadPath } = settings
  yield* strayObjects(database, storage, tempUploadPath)
  yield* strayObjects(database, storage, fixedPathPrefix(uploadPath))
}

async function removeStrays(dependencies: CheckDependencies): Promise<number> {
  let removed = 0
  for await (const { key, modifiedAt } of allStrays(dependencies)) {
    if (modifiedAt <= dependencies.clock() - STRAY_AGE && (await dependencies.storage.remove(key)))
      removed++
  }
  return removed
}

async function danglingReferences({
  executor,
  tables,
}: LedgerDatabase): Promise<CheckReport['dangling']> {
  const dangling = tables
    .on(executor)
    .selectFrom('mediaReference as r')
    .leftJoin('media as m', 'm.id', 'r.mediaId')
    .where((eb) =>
      eb.or([
        eb('m.id', 'is', null),
        eb('m.state', 'in', ['uploading', 'deleting', 'deleted'] satisfies MediaState[]),
      ]),
    )
  const { found } = await dangling
    .select((eb) => eb.fn.countAll().as('found'))
    .executeTakeFirstOrThrow()
  const items = await dangling
    .select(['r.mediaId', 'r.recordType', 'r.recordId', 'r.field'])
    .orderBy('r.mediaId')
    .orderBy('r.recordType')
    .orderBy('r.recordId')
    .orderBy('r.field')
    .limit(MAX_ITEMS)
    .execute()
  return {
    count: toNumber(found),
    items: items.map(({ mediaId, recordType, recordId, field }) => ({
      id: mediaId,
      type: recordType,
      record: recordId,
      field,
    })),
  }
}
