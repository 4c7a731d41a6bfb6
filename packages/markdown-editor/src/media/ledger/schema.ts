import {
  column,
  defineTables,
  type MigrationSet,
  type RowsOf,
  table,
} from '@quillgate/server/database'
import type { DeletionReason, MediaState } from './medium.ts'

/** Longest values of the reference columns, in characters; MariaDB's keys end at 3072 bytes. */
export const REFERENCE_LIMITS = { type: 128, id: 255, field: 128 } as const

/**
 * One row per file, see `Medium`. `changedAt` is when the state last changed. The row outlives the
 * file for a year. `writes` exists so that a transaction can write the row without changing
 * anything else, see `writeLocked`.
 *
 * The id comes last in the indexes, so that a page of a large ledger begins after the last row of
 * the page before. The index of owners contains sizes, so that the sum for `ownerQuota` reads no
 * rows.
 *
 * Partial indexes leave out the rows that no statement finds by them: an upload, whose row is
 * written twice, then writes to three indexes instead of six. The conditions are written so that
 * SQLite and PostgreSQL recognize them in our statements: a comparison implies that a column is not
 * null, and a state that is a literal in the statement implies a list of states.
 */
const media = table(
  {
    // Media ids are ASCII, but applications may look for other texts, and MariaDB compares an ASCII
    // column only with ASCII texts. So it is a text.
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
 * A mention of a file in a field of a record. `byOwner` is 1 if the owner of the file or the
 * application saved the mention, and 0 if another user did.
 */
const mediaReference = table(
  {
    mediaId: column.text(64),
    recordType: column.text(REFERENCE_LIMITS.type),
    recordId: column.text(REFERENCE_LIMITS.id),
    field: column.text(REFERENCE_LIMITS.field),
    byOwner: column.integer(),
  },
  ['mediaId', 'recordType', 'recordId', 'field'],
  [{ name: 'record', columns: ['recordType', 'recordId', 'field'] }],
)

/** The id of the installation and its own state. */
const mediaMeta = table({ name: column.id(), value: column.text(255) }, ['name'])

const definitions = { media, mediaReference, mediaMeta }

/** The rows of the ledger. */
export type LedgerRows = RowsOf<typeof definitions>

/** The tables of the ledger. */
export const ledgerTables = defineTables(definitions)

/** The schema of the ledger. */
export const mediaMigrations: MigrationSet = {
  component: 'markdown-editor',
  migrations: [{ name: '0001_media', statements: ledgerTables.createStatements }],
}
