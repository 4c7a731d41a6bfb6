import {
  column,
  defineTables,
  type MigrationSet,
  type RowsOf,
  table,
} from '@quillgate/server/database'
import type { DeletionReason, MediaState } from './medium.ts'

/** Maximum lengths in characters. All columns together fit into a key of MariaDB (3072 bytes). */
export const REFERENCE_LIMITS = { type: 128, id: 255, field: 128 } as const

/**
 * One row for each file, see `Medium`. `changedAt` is the time of the last state change. `writes`
 * is a counter, which `writeLocked` increments to write a row without changing other columns.
 *
 * Indexes by time end with the id, because pages are read in the order of time and id. The index of
 * owners contains the sizes, so that the sum for `ownerQuota` reads only the index. Some indexes
 * are partial, so that an upload updates only three indexes. A database uses a partial index only
 * if the query compares the column in the index's `where`, or contains the state as a literal.
 */
const media = table(
  {
    // Media ids are ASCII, but the column is Unicode text. Applications may search for any text,
    // and MariaDB can compare an ASCII column only with ASCII text.
    id: column.text(64),
    state: column.word<MediaState>(16),
    owner: column.text(255),
    name: column.text(255),
    type: column.id(255),
    size: column.integer().orNull(),
    checksum: column.id().orNull(),
    tempKey: column.text(900),
    permanentKey: column.text(900).orNull(),
    width: column.integer().orNull(),
    height: column.integer().orNull(),
    createdAt: column.integer(),
    changedAt: column.integer(),
    finalizedAt: column.integer().orNull(),
    referencedAt: column.integer().orNull(),
    lastRecordType: column.text(REFERENCE_LIMITS.type).orNull(),
    lastRecordId: column.text(REFERENCE_LIMITS.id).orNull(),
    orphanedAt: column.integer().orNull(),
    deletedAt: column.integer().orNull(),
    reason: column.word<DeletionReason>(32).orNull(),
    actor: column.text(255).orNull(),
    writes: column.integer(),
  },
  ['id'],
  [
    { name: 'by_owner', columns: ['owner', 'state', 'size'] },
    { name: 'by_creation', columns: ['state', 'createdAt', 'id'] },
    {
      name: 'by_change',
      columns: ['state', 'changedAt', 'id'],
      where: "state = 'promoting' OR state = 'deleting' OR state = 'deleted'",
    },
    {
      name: 'by_finalizing',
      columns: ['state', 'referencedAt', 'finalizedAt', 'id'],
      where: 'finalized_at IS NOT NULL OR referenced_at IS NOT NULL',
    },
    {
      name: 'by_orphaning',
      columns: ['state', 'orphanedAt', 'id'],
      where: 'orphaned_at IS NOT NULL',
    },
  ],
)

/**
 * One row for each reference from a record to a file. `byOwner` is true if the reference was saved
 * by the application or by the owner of the file.
 */
const mediaReference = table(
  {
    mediaId: column.text(64),
    recordType: column.text(REFERENCE_LIMITS.type),
    recordId: column.text(REFERENCE_LIMITS.id),
    field: column.text(REFERENCE_LIMITS.field),
    byOwner: column.boolean(),
  },
  ['mediaId', 'recordType', 'recordId', 'field'],
  [{ name: 'record', columns: ['recordType', 'recordId', 'field', 'mediaId', 'byOwner'] }],
)

/** The id and other values of the installation, by name. */
const mediaMeta = table({ name: column.id(), value: column.text(255) }, ['name'])

const definitions = { media, mediaReference, mediaMeta }

/** The rows of the ledger. */
export type LedgerRows = RowsOf<typeof definitions>

/** The tables of the ledger. */
export const ledgerTables = defineTables(definitions)

/** The migrations of the ledger. */
export const mediaMigrations: MigrationSet = {
  component: 'markdown-editor',
  migrations: [{ name: '0001_media', statements: ledgerTables.createStatements }],
}
