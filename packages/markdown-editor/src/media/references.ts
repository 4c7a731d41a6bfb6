import { type Check, type Input, optional, Problem, parse } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { editorError } from '../errors.ts'
import { ACTOR_OPTIONS, settle } from './cleanup.ts'
import { findMedia, type LedgerConnection, type LedgerDatabase } from './ledger/ledger-database.ts'
import { type Actor, type Manages, managementOf, toActor } from './ledger/principal.ts'
import {
  type Mentions,
  parseRecordKey,
  type RecordKey,
  type RecordTexts,
  readMentions,
} from './ledger/record-texts.ts'
import { addReference, dropReference, markSavedByOwner } from './ledger/reference-protection.ts'
import type { MediaServices } from './services.ts'

/** The changes that a save made to the references of a record. */
export interface ReferenceChange {
  /** Media that this record did not reference before. */
  readonly added: readonly string[]
  /** Media that this record no longer references. Pass them to `settle` after the commit. */
  readonly removed: readonly string[]
  /**
   * Ids in the texts that belong to no file, or to an orphaned file that the actor may not restore.
   * Callers cannot tell which.
   */
  readonly missing: readonly string[]
}

/** A record with all its texts, for `rebuild`. */
export interface RecordEntry extends RecordKey {
  readonly texts: RecordTexts
  /** The user who wrote the texts; see the `actor` of `references.set`. */
  readonly actor?: Actor
}

/** A list or a stream of records, or a promise of a list or a stream. */
export type RecordEntries =
  | Iterable<RecordEntry>
  | AsyncIterable<RecordEntry>
  | Promise<Iterable<RecordEntry> | AsyncIterable<RecordEntry>>

/** The result of `rebuild`. */
export interface RebuildReport {
  readonly records: number
  /** The number of new references. */
  readonly added: number
  /** The number of ids that are `missing`, see {@link ReferenceChange}. */
  readonly missing: number
  /** False if there are finalized files but no records. `rebuild` then has no effect. */
  readonly recorded: boolean
}

/** A common mistake is to pass a transaction of an ORM or driver instead of an executor. */
const executor: Check<SqlExecutor> = (value) => {
  const { dialect, query, execute } = Object(value) as Partial<SqlExecutor>
  return typeof query === 'function' && typeof execute === 'function' && typeof dialect === 'string'
    ? (value as SqlExecutor)
    : new Problem('must be an SqlExecutor: pass database.executor(trx) or the executor of your ORM')
}

const SAVE_OPTIONS = {
  ...ACTOR_OPTIONS,
  /**
   * The transaction that saves the record. By default, the references get their own transaction.
   */
  tx: optional(executor),
}

/** Options of {@link saveReferences}. */
export type SaveOptions = Input<typeof SAVE_OPTIONS>

/**
 * Implements `MediaReferences.set`. With an empty list of texts, implements
 * `MediaReferences.remove`.
 */
export async function saveReferences(
  media: MediaServices,
  call: 'references.set' | 'references.remove',
  record: RecordKey,
  texts: RecordTexts,
  options: SaveOptions = {},
): Promise<ReferenceChange> {
  const { tx, actor } = parse(SAVE_OPTIONS, options, call)
  const { database, canManage, clock } = media
  toActor(actor) // Throws for a wrong label before the references are saved.
  const manages = managementOf(actor, canManage)
  const write = (own: LedgerConnection) => writeReferences(own, record, texts, clock(), manages)
  if (tx) return write(database.on(tx))
  const change = await database.transaction(write)
  await settle(media, change.removed, { actor })
  return change
}

/** Implements `MediaReferences.rebuild`. */
export async function rebuildReferences(
  { database, installation, canManage, clock }: MediaServices,
  records: RecordEntries,
): Promise<RebuildReport> {
  const report = { records: 0, added: 0, missing: 0 }
  for await (const { texts, actor, ...record } of await records) {
    const manages = managementOf(actor, canManage)
    const { added, missing } = await database.transaction((tx) =>
      addReferences(tx, record, texts, clock(), manages),
    )
    report.records++
    report.added += added.length
    report.missing += missing.length
  }
  // If finalized files exist, but no records were read, the code that reads records is wrong.
  const recorded = report.records > 0 || !(await hasFinalized(database))
  if (recorded) await installation.recordRebuild(clock())
  return { ...report, recorded }
}

async function hasFinalized({ db }: LedgerDatabase): Promise<boolean> {
  const finalized = db
    .selectFrom('media')
    .select('id')
    .where('state', 'in', ['promoting', 'permanent', 'orphaned'])
  return (await finalized.limit(1).executeTakeFirst()) !== undefined
}

const MANY_IDS = 500
// The maximum number of ids in a text. A text of 4 MiB could contain 150,000 ids.
const MAX_IDS = 10_000

/**
 * Writes the references of one record in the order of the media ids, so that two saves cannot
 * deadlock.
 *
 * @param manages returns the writer's role for a file; null if the writer manages all files
 */
export async function writeReferences(
  tx: LedgerConnection,
  record: RecordKey,
  texts: RecordTexts,
  at: number,
  manages: Manages | null = null,
): Promise<ReferenceChange> {
  const key = parseRecordKey(record)
  const { whole, fields } = readMentions(texts)
  checkCounts(fields)
  const { inserted, missing, owned } = await addMentions(tx, key, fields, at, manages)
  const before = new Set<string>()
  const after = new Set<string>()
  for (const { mediaId: id, field, byOwner } of await placesOf(tx, key)) {
    if (!inserted.has(`${id}/${field}`)) before.add(id)
    const isWritten = whole || fields.has(field)
    const isMentioned = fields.get(field)?.has(id) && !missing.has(id)
    if (isWritten && !isMentioned) await dropReference(tx, id, { ...key, field })
    else after.add(id)
    if (isMentioned && !byOwner && owned.has(id)) await markSavedByOwner(tx, id, { ...key, field })
  }
  const removed = [...before].filter((id) => !after.has(id))
  return { added: [...after].filter((id) => !before.has(id)), removed, missing: [...missing] }
}

/** Throws for texts that {@link writeReferences} would reject, before the record is saved. */
export function checkTexts(texts: RecordTexts): void {
  checkCounts(readMentions(texts).fields)
}

function checkCounts(fields: Mentions['fields']): void {
  if ([...fields.values()].some((ids) => ids.size > MAX_IDS))
    throw editorError('too_many_media', `The text contains more than ${MAX_IDS} media. Split it.`)
}

/**
 * Adds references. Removes none, because the record may have been saved again since it was read.
 */
export async function addReferences(
  tx: LedgerConnection,
  record: RecordKey,
  texts: RecordTexts,
  at: number,
  manages: Manages | null = null,
): Promise<Pick<ReferenceChange, 'added' | 'missing'>> {
  const { fields } = readMentions(texts)
  const key = parseRecordKey(record)
  const { inserted, missing } = await addMentions(tx, key, fields, at, manages)
  return { added: [...new Set(inserted.values())], missing: [...missing] }
}

async function addMentions(
  tx: LedgerConnection,
  key: ReturnType<typeof parseRecordKey>,
  fields: Mentions['fields'],
  at: number,
  manages: Manages | null,
) {
  const mentioned = new Set([...fields.values()].flatMap((ids) => [...ids]))
  const media = manages || mentioned.size > MANY_IDS ? await findMedia(tx, mentioned) : null
  const known = media ? [...media.keys()] : [...mentioned]
  const missing = new Set(media ? [...mentioned].filter((id) => !media.has(id)) : [])
  /** Maps `<id>/<field>` of each new reference to the media id. */
  const inserted = new Map<string, string>()
  /** Files that the writer owns. The application counts as the owner of every file. */
  const owned = new Set<string>()
  for (const id of known.sort()) {
    const medium = media?.get(id)
    const managed = medium && manages ? await manages(medium) : null
    const role = manages ? managed : 'owner'
    if (role === 'owner') owned.add(id)
    for (const [field, ids] of fields) {
      if (!ids.has(id)) continue
      const result = await addReference(tx, id, { ...key, field }, at, role)
      if (result === 'missing') missing.add(id)
      if (result === 'added') inserted.set(`${id}/${field}`, id)
    }
  }
  return { inserted, missing, owned }
}

function placesOf(
  { db, dialect }: LedgerConnection,
  key: ReturnType<typeof parseRecordKey>,
): Promise<{ mediaId: string; field: string; byOwner: boolean }[]> {
  const places = db
    .selectFrom('mediaReference')
    .select(['mediaId', 'field', 'byOwner'])
    .where('recordType', '=', key.type)
    .where('recordId', '=', key.id)
    .orderBy('field')
    .orderBy('mediaId')
  // On MariaDB, the application's transaction may read an old snapshot (REPEATABLE READ), but a
  // locking read sees the current rows. It also locks gaps of the index. If it ran before the
  // inserts, two saves could deadlock. The query has the columns and the order of the index
  // `record`. Otherwise, MariaDB may scan the table, and a scan locks the rows of all records.
  return (dialect === 'mariadb' ? places.forUpdate() : places).execute()
}
