import type { QuillgateError } from '@quillgate/server/core'
import type { SqlExecutor } from '@quillgate/server/database'
import { editorError } from '../../errors.ts'
import type { LedgerTables } from '../ledger/ledger-database.ts'
import type { Manages, Role } from '../ledger/management.ts'
import { findMedia } from '../ledger/media-rows.ts'
import type { Medium } from '../ledger/medium.ts'
import {
  type Mentions,
  parseRecordKey,
  type RecordKey,
  type RecordTexts,
  readMentions,
} from '../ledger/record-texts.ts'
import { addReference, claimReference, dropReference } from '../ledger/reference-protocol.ts'

/** What a save changed. */
export interface ReferenceChange {
  /** Media that this record did not reference before. */
  readonly added: readonly string[]
  /** Media that this record references no longer; give them to `settle` after the commit. */
  readonly removed: readonly string[]
  /**
   * Ids in the texts without a file, or of an orphan that the actor may not restore. Callers cannot
   * tell which.
   */
  readonly missing: readonly string[]
}

type Key = ReturnType<typeof parseRecordKey>

/** Distinct ids in one save from which on unknown ones are sorted out first. */
const MANY_IDS = 500
/** Distinct ids in one text; 4 MiB could hold 150,000. */
const MOST_IDS = 10_000

/**
 * Writes the references of one record: the writer's half of the reference protocol for each file,
 * in the order of their ids, so that two saves cannot deadlock each other.
 *
 * @param tx the record's own transaction
 * @param manages which files the writer manages; null: all
 * @throws QuillgateError `invalid_request` (400) for a record key or texts that cannot be,
 * `too_many_media` (413)
 */
export async function writeReferences(
  tx: SqlExecutor,
  tables: LedgerTables,
  record: RecordKey,
  texts: RecordTexts,
  at: number,
  manages: Manages | null = null,
): Promise<ReferenceChange> {
  const key = parseRecordKey(record)
  const { whole, fields } = readMentions(texts)
  assertNotTooMany(fields)
  const { inserted, missing, owned } = await addMentions(tx, tables, key, fields, at, manages)
  const before = new Set<string>()
  const after = new Set<string>()
  for (const { id, field, isByOwner } of await placesOf(tx, tables, key)) {
    if (!inserted.has(`${id}/${field}`)) before.add(id)
    const isWritten = whole || fields.has(field)
    const isMentioned = fields.get(field)?.has(id) && !missing.has(id)
    if (isWritten && !isMentioned) await dropReference(tx, tables, id, { ...key, field })
    else after.add(id)
    if (isMentioned && !isByOwner && owned.has(id))
      await claimReference(tx, tables, id, { ...key, field })
  }
  return { added: without(after, before), removed: without(before, after), missing: [...missing] }
}

/**
 * Checks texts before a record is saved.
 * @throws QuillgateError `invalid_request` (400), `too_many_media` (413)
 */
export function checkTexts(texts: RecordTexts): void {
  assertNotTooMany(readMentions(texts).fields)
}

function assertNotTooMany(fields: Mentions['fields']): void {
  if ([...fields.values()].some((ids) => ids.size > MOST_IDS)) throw tooManyMedia()
}

/**
 * Adds the references of one record and removes none, for a record that may have been saved again
 * since it was read.
 */
export async function addReferences(
  tx: SqlExecutor,
  tables: LedgerTables,
  record: RecordKey,
  texts: RecordTexts,
  at: number,
  manages: Manages | null = null,
): Promise<Pick<ReferenceChange, 'added' | 'missing'>> {
  const key = parseRecordKey(record)
  const { fields } = readMentions(texts)
  const { inserted, missing } = await addMentions(tx, tables, key, fields, at, manages)
  return { added: [...new Set(inserted.values())], missing: [...missing] }
}

async function addMentions(
  tx: SqlExecutor,
  tables: LedgerTables,
  key: Key,
  fields: Mentions['fields'],
  at: number,
  manages: Manages | null,
): Promise<{ inserted: Map<string, string>; missing: Set<string>; owned: Set<string> }> {
  const mentioned = new Set([...fields.values()].flatMap((ids) => [...ids]))
  const media = manages || mentioned.size > MANY_IDS ? await findMedia(tx, tables, mentioned) : null
  const known = media ? new Set(media.keys()) : mentioned
  const missing = new Set(without(mentioned, known))
  /** The id of each new reference, by id and field. */
  const inserted = new Map<string, string>()
  /** Files that the writer owns; the application writes for every owner. */
  const owned = new Set<string>()
  for (const id of [...known].sort()) {
    const role = await roleOf(manages, media?.get(id))
    if (role === 'owner') owned.add(id)
    for (const field of fieldsWith(id, fields)) {
      const held = await addReference(tx, tables, id, { ...key, field }, at, role)
      if (held === 'missing') missing.add(id)
      if (held === 'added') inserted.set(`${id}/${field}`, id)
    }
  }
  return { inserted, missing, owned }
}

async function roleOf(manages: Manages | null, medium: Medium | undefined): Promise<Role> {
  if (!manages) return 'owner'
  return medium ? manages(medium) : null
}

function fieldsWith(id: string, fields: Mentions['fields']): string[] {
  return [...fields].filter(([, ids]) => ids.has(id)).map(([field]) => field)
}

function without(ids: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...ids].filter((id) => !others.has(id))
}

async function placesOf(
  tx: SqlExecutor,
  tables: LedgerTables,
  key: Key,
): Promise<{ id: string; field: string; isByOwner: boolean }[]> {
  const places = tables
    .on(tx)
    .selectFrom('mediaReference')
    .select(['mediaId', 'field', 'byOwner'])
    .where('recordType', '=', key.type)
    .where('recordId', '=', key.id)
    .orderBy('mediaId')
    .orderBy('field')
  // On MariaDB the application's transaction may read an old snapshot (REPEATABLE READ). A locking
  // read sees what is. It comes after our inserts, because the gaps that it locks would make two
  // saves wait for each other in a circle.
  const rows = await (tx.dialect === 'mariadb' ? places.forUpdate() : places).execute()
  return rows.map(({ mediaId: id, field, byOwner }) => ({ id, field, isByOwner: byOwner === 1 }))
}

function tooManyMedia(): QuillgateError {
  return editorError('too_many_media', `The text mentions more than ${MOST_IDS} media. Split it.`)
}
