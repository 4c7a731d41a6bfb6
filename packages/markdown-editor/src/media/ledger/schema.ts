import { columnTypes, type Dialect, type MigrationSet } from '@quillgate/server/database'

/** The names of the tables. */
export interface MediaTables {
  readonly media: string
  readonly reference: string
  readonly meta: string
}

/**
 * Names the tables of the ledger.
 * @param prefix the start of every table name, for example `quillgate_`
 */
export function mediaTables(prefix: string): MediaTables {
  return {
    media: `${prefix}media`,
    reference: `${prefix}media_reference`,
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
 * - `media`: one row per file, see `Medium`. `changed_at` is when the state last changed. The row outlives the file by
 *   `auditAge`. `writes` exists so that a transaction can write the row without changing anything else, see
 *   `writeLocked`.
 * - `media_reference`: which field of which record mentions a file. `by_owner` is 0 if another user than the owner of the
 *   file saved it there.
 * - `media_meta`: the installation's id and its own state.
 */
export const mediaMigrations: MigrationSet = {
  component: 'markdown-editor',
  migrations: [{ name: '0001_media', statements: createTables }],
}

function createTables(dialect: Dialect, prefix: string): readonly string[] {
  const { media, reference, meta } = mediaTables(prefix)
  // Media ids are ASCII, but applications may look for other texts, and MariaDB compares an ASCII column only with
  // ASCII texts. So `id` is a text.
  const { id, text, integer, tableSuffix } = columnTypes(dialect)
  const { type: typeLength, id: idLength, field: fieldLength } = REFERENCE_LIMITS
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
  quarantined_at ${integer},
  finalized_at ${integer},
  referenced_at ${integer},
  last_record_type ${text(typeLength)},
  last_record_id ${text(idLength)},
  orphaned_at ${integer},
  deleted_at ${integer},
  reason ${id(32)},
  actor ${text(255)},
  writes ${integer} NOT NULL DEFAULT 0
)${tableSuffix}`,
    `CREATE TABLE IF NOT EXISTS ${reference} (
  media_id ${text(64)} NOT NULL,
  record_type ${text(typeLength)} NOT NULL,
  record_id ${text(idLength)} NOT NULL,
  field ${text(fieldLength)} NOT NULL,
  by_owner ${integer} NOT NULL DEFAULT 1,
  PRIMARY KEY (media_id, record_type, record_id, field)
)${tableSuffix}`,
    `CREATE TABLE IF NOT EXISTS ${meta} (
  name ${id()} NOT NULL PRIMARY KEY,
  value ${text(255)} NOT NULL
)${tableSuffix}`,
    `CREATE INDEX IF NOT EXISTS ${prefix}media_reference_record ON ${reference} (record_type, record_id, field)`,
    ...createMediaIndexes(dialect, prefix),
  ]
}

/**
 * The indexes of `media`. The id comes last, so that a page of a large ledger begins after the last row of the page
 * before. The index of owners contains sizes, so that the sum for `ownerQuota` reads no rows.
 *
 * Partial indexes leave out the rows that no statement finds by them: an upload, whose row is written twice, then writes
 * to three indexes instead of six. MariaDB has no partial indexes. The conditions are written so that SQLite and
 * PostgreSQL recognize them in our statements: a comparison implies that a column is not null, and a state that is a
 * literal in the statement implies a list of states.
 */
function createMediaIndexes(dialect: Dialect, prefix: string): readonly string[] {
  const { media } = mediaTables(prefix)
  const index = (name: string, columns: string, condition?: string): string => {
    const where = condition === undefined || dialect === 'mariadb' ? '' : ` WHERE ${condition}`
    return `CREATE INDEX IF NOT EXISTS ${prefix}media_by_${name} ON ${media} (${columns})${where}`
  }
  return [
    index('owner', 'owner, state, size'),
    index('creation', 'state, created_at, id'),
    index(
      'change',
      'state, changed_at, id',
      "state = 'promoting' OR state = 'deleting' OR state = 'deleted'",
    ),
    index(
      'finalizing',
      'state, referenced_at, finalized_at, id',
      'finalized_at IS NOT NULL OR referenced_at IS NOT NULL',
    ),
    index('orphaning', 'state, orphaned_at, id', 'orphaned_at IS NOT NULL'),
  ]
}
