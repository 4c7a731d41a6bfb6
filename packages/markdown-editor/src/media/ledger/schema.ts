import { columnTypes, type Dialect, type MigrationSet } from '@quillgate/server/database'

/** Names of the tables, made once from the prefix. */
export interface MediaTables {
  readonly media: string
  readonly reference: string
  readonly intent: string
  readonly meta: string
}

/**
 * Names the tables of the ledger.
 * @param prefix what every table name begins with, for example `quillgate_`
 */
export function mediaTables(prefix: string): MediaTables {
  return {
    media: `${prefix}media`,
    reference: `${prefix}media_reference`,
    intent: `${prefix}media_intent`,
    meta: `${prefix}media_meta`,
  }
}

/** Longest values of the reference columns, in characters; MariaDB's keys end at 3072 bytes. */
export const REFERENCE_LIMITS: {
  readonly type: number
  readonly id: number
  readonly field: number
} = {
  type: 128,
  id: 255,
  field: 128,
}

/**
 * The schema of the ledger:
 * - `media`: one row per file, see `Medium`; `changed_at` is when the state last changed. The row outlives the file by
 *   `auditAge`. `writes` only makes a transaction write the row, see `writeLocked`.
 * - `media_reference`: which field of which record mentions a file; `by_owner` is 0 when another user than the owner of
 *   the file saved it there.
 * - `media_intent`: saves of records in another database that may not be committed yet; `epoch` counts the saves that
 *   began since.
 * - `media_meta`: the installation's id and what it knows of itself.
 */
export const mediaMigrations: MigrationSet = {
  component: 'markdown-editor',
  migrations: [
    { name: '0001_media', statements: createTables },
    { name: '0002_intents_and_holds', statements: addIntentsAndHolds },
    { name: '0003_keyset_indexes', statements: replaceIndexes },
    { name: '0004_partial_indexes', statements: narrowIndexes },
    { name: '0005_owners', statements: addOwners },
    { name: '0006_writes', statements: countWrites },
  ],
}

function createTables(dialect: Dialect, prefix: string): readonly string[] {
  const { media, reference, meta } = mediaTables(prefix)
  // Media ids are ASCII, but what applications look for need not be, and MariaDB compares an ASCII column with nothing
  // else.
  const { id, text, integer, tableSuffix } = columnTypes(dialect)
  const { type: typeLength, id: idLength, field: fieldLength } = REFERENCE_LIMITS
  const index = (name: string, table: string, columns: string): string =>
    `CREATE INDEX IF NOT EXISTS ${prefix}${name} ON ${table} (${columns})`
  return [
    `CREATE TABLE IF NOT EXISTS ${media} (
  id ${text(64)} NOT NULL PRIMARY KEY,
  state ${id(16)} NOT NULL,
  owner ${text(255)} NOT NULL,
  name ${text(255)} NOT NULL,
  type ${id(255)} NOT NULL,
  size ${integer},
  checksum ${id()},
  temp_key ${text(900)} NOT NULL,
  permanent_key ${text(900)},
  width ${integer},
  height ${integer},
  created_at ${integer} NOT NULL,
  changed_at ${integer} NOT NULL,
  finalized_at ${integer},
  referenced_at ${integer},
  holder_type ${text(typeLength)},
  holder_id ${text(idLength)},
  orphaned_at ${integer},
  deleted_at ${integer},
  reason ${id(32)},
  actor ${text(255)}
)${tableSuffix}`,
    index('media_created', media, 'state, created_at'),
    index('media_unsaved', media, 'state, referenced_at, finalized_at'),
    index('media_orphaned', media, 'state, orphaned_at'),
    index('media_owner', media, 'owner, state'),
    `CREATE TABLE IF NOT EXISTS ${reference} (
  media_id ${text(64)} NOT NULL,
  record_type ${text(typeLength)} NOT NULL,
  record_id ${text(idLength)} NOT NULL,
  field ${text(fieldLength)} NOT NULL,
  PRIMARY KEY (media_id, record_type, record_id, field)
)${tableSuffix}`,
    index('media_reference_record', reference, 'record_type, record_id, field'),
    `CREATE TABLE IF NOT EXISTS ${meta} (
  name ${id()} NOT NULL PRIMARY KEY,
  value ${text(255)} NOT NULL
)${tableSuffix}`,
  ]
}

function addIntentsAndHolds(dialect: Dialect, prefix: string): readonly string[] {
  const { media, intent } = mediaTables(prefix)
  const { id, text, integer, tableSuffix } = columnTypes(dialect)
  // MariaDB cannot undo it when a later statement fails; SQLite does not know IF NOT EXISTS here and needs it not.
  const unlessThere = dialect === 'sqlite' ? '' : 'IF NOT EXISTS '
  return [
    `ALTER TABLE ${media} ADD COLUMN ${unlessThere}held_at ${integer}`,
    `CREATE TABLE IF NOT EXISTS ${intent} (
  id ${id(64)} NOT NULL PRIMARY KEY,
  record_type ${text(REFERENCE_LIMITS.type)} NOT NULL,
  record_id ${text(REFERENCE_LIMITS.id)} NOT NULL,
  epoch ${integer} NOT NULL,
  created_at ${integer} NOT NULL
)${tableSuffix}`,
    `CREATE INDEX IF NOT EXISTS ${prefix}media_intent_record ON ${intent} (record_type, record_id)`,
    `CREATE INDEX IF NOT EXISTS ${prefix}media_intent_created ON ${intent} (created_at, id)`,
  ]
}

/** With the id at their end, so that a page of a large ledger is found by the row that the last one ended with. */
function replaceIndexes(dialect: Dialect, prefix: string): readonly string[] {
  const { media } = mediaTables(prefix)
  const of = dialect === 'mariadb' ? ` ON ${media}` : ''
  return [
    `CREATE INDEX IF NOT EXISTS ${prefix}media_by_creation ON ${media} (state, created_at, id)`,
    `CREATE INDEX IF NOT EXISTS ${prefix}media_by_change ON ${media} (state, changed_at, id)`,
    `CREATE INDEX IF NOT EXISTS ${prefix}media_by_finalizing ON ${media} (state, referenced_at, finalized_at, id)`,
    `CREATE INDEX IF NOT EXISTS ${prefix}media_by_orphaning ON ${media} (state, orphaned_at, id)`,
    ...['created', 'unsaved', 'orphaned'].map(
      (name) => `DROP INDEX IF EXISTS ${prefix}media_${name}${of}`,
    ),
  ]
}

/**
 * Remembers which references the owner of a file saved; those that were there before protect as they did. The index
 * contains sizes, so that the sum for `ownerQuota` reads no rows.
 */
function addOwners(dialect: Dialect, prefix: string): readonly string[] {
  const { media, reference } = mediaTables(prefix)
  const unlessThere = dialect === 'sqlite' ? '' : 'IF NOT EXISTS '
  const { integer } = columnTypes(dialect)
  return [
    `ALTER TABLE ${reference} ADD COLUMN ${unlessThere}by_owner ${integer} NOT NULL DEFAULT 1`,
    `CREATE INDEX IF NOT EXISTS ${prefix}media_by_owner ON ${media} (owner, state, size)`,
    `DROP INDEX IF EXISTS ${prefix}media_owner${dialect === 'mariadb' ? ` ON ${media}` : ''}`,
  ]
}

/**
 * Each index without the rows that nobody finds by it: an upload, whose row is written twice, then writes to three
 * indexes in place of six. MariaDB has no such indexes.
 *
 * The conditions are those that SQLite and PostgreSQL recognize in our statements: a comparison says that a column is
 * not null, and a state that stands in the statement itself is one of several.
 */
function narrowIndexes(dialect: Dialect, prefix: string): readonly string[] {
  if (dialect === 'mariadb') return []
  const { media } = mediaTables(prefix)
  const replace = (name: string, columns: string, condition: string): readonly string[] => [
    `DROP INDEX IF EXISTS ${prefix}media_by_${name}`,
    `CREATE INDEX IF NOT EXISTS ${prefix}media_by_${name} ON ${media} (${columns}, id) WHERE ${condition}`,
  ]
  return [
    ...replace(
      'change',
      'state, changed_at',
      "state = 'promoting' OR state = 'deleting' OR state = 'deleted'",
    ),
    ...replace(
      'finalizing',
      'state, referenced_at, finalized_at',
      'finalized_at IS NOT NULL OR referenced_at IS NOT NULL',
    ),
    ...replace('orphaning', 'state, orphaned_at', 'orphaned_at IS NOT NULL'),
  ]
}

function countWrites(dialect: Dialect, prefix: string): readonly string[] {
  const { media } = mediaTables(prefix)
  const { integer } = columnTypes(dialect)
  const unlessThere = dialect === 'sqlite' ? '' : 'IF NOT EXISTS '
  return [`ALTER TABLE ${media} ADD COLUMN ${unlessThere}writes ${integer} NOT NULL DEFAULT 0`]
}
