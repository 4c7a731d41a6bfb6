import { createHash } from 'node:crypto'
import { checks, field, type Input, parse } from '@quillgate/server/core'
import { toNumber } from '@quillgate/server/database'
import type { Storage, StoredObject } from '@quillgate/storage'
import { fixedPathPrefix } from '../types/path-template.ts'
import { DifferenceList, type Differences } from './differences.ts'
import type { LedgerDatabase } from './ledger/ledger-database.ts'
import { EXISTING, type MediaState } from './ledger/medium.ts'
import { strayObjects } from './ledger/stored-objects.ts'
import type { MediaServices } from './services.ts'
import { candidatesOf, deletionLimit, LISTED_AFTER, neverReferenced } from './sweep/candidates.ts'
import type { SweepReport } from './sweep/sweep-report.ts'

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
  /** Files whose bytes are missing or of another length; with `verify`, also changed ones. */
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
  /** References to files that do not exist. */
  readonly dangling: Differences<{
    readonly id: string
    readonly type: string
    readonly record: string
    readonly field: string
  }>
}

const CHECK_OPTIONS = {
  /** True: delete strays older than a day, temporary and permanent ones. */
  deleteStrays: field(checks.boolean, false),
  /** True: delete even more than max(1,000, 5 % of all files). */
  force: field(checks.boolean, false),
  /** True: read every byte and compare its checksum. */
  verify: field(checks.boolean, false),
}

/** Options of `editor.check`. */
export type CheckOptions = Input<typeof CHECK_OPTIONS>

/** Milliseconds; younger objects may belong to a step that is under way. */
const STRAY_AGE = 86_400_000

/** Compares ledger and storage. Changes nothing but strays, if `deleteStrays` asks for it. */
export async function check(
  media: MediaServices,
  options: CheckOptions = {},
): Promise<CheckReport> {
  const { deleteStrays, force, verify } = parse(CHECK_OPTIONS, options, 'check')
  const { database, installation } = media
  const guard = await installation.deletionGuard()
  const { files, damaged } = await checkFiles(media, verify)
  const strays = new DifferenceList<{ key: string }>()
  for await (const { key } of allStrays(media)) strays.add({ key })
  const isTooMuch = deleteStrays && !force && strays.found.count > deletionLimit(files)
  const stopped = guard ?? (isTooMuch ? 'too_many' : null)
  return {
    stopped,
    lastRebuild: await installation.lastRebuild(),
    files,
    damaged,
    neverReferenced: await listNeverReferenced(media),
    strays: strays.found,
    deleted: deleteStrays && stopped === null ? await removeStrays(media) : 0,
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
    for await (const { id, size, checksum, tempKey, ...medium } of candidatesOf(
      database,
      candidates,
    )) {
      files++
      const isMoved = state === 'permanent' || state === 'orphaned'
      const key = (isMoved && medium.key) || tempKey
      const isWhole =
        (await storage.stat(key))?.size === size &&
        (!verify || (await hashOf(storage, key)) === checksum)
      // The file may have changed its state since its row was read.
      if (!isWhole && (await ledger.get(id))?.state === state) damaged.add({ id, key })
    }
  }
  return { files, damaged: damaged.found }
}

async function listNeverReferenced({
  database,
  clock,
}: MediaServices): Promise<CheckReport['neverReferenced']> {
  const files = new DifferenceList<{ id: string; key: string; size: number | null }>()
  let bytes = 0
  const range = { until: clock() - LISTED_AFTER }
  for await (const { id, key, tempKey, size } of neverReferenced(database, range)) {
    files.add({ id, key: key ?? tempKey, size })
    bytes += size ?? 0
  }
  return { ...files.found, bytes }
}

/** Returns the SHA-256 of an object, hexadecimal; null if it is missing. */
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
}: MediaServices): AsyncGenerator<StoredObject> {
  yield* strayObjects(database, storage, settings.tempUploadPath)
  yield* strayObjects(database, storage, fixedPathPrefix(settings.uploadPath))
}

async function removeStrays(media: MediaServices): Promise<number> {
  let removed = 0
  for await (const { key, modifiedAt } of allStrays(media)) {
    const isOld = modifiedAt <= media.clock() - STRAY_AGE
    if (isOld && (await media.storage.remove(key))) removed++
  }
  return removed
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
