import type { Dialect, SqlExecutor } from '@quillgate/server/database'
import { toNumber } from '@quillgate/server/database'
import type { DeletionReason, MediaState } from '../../../src/media/ledger/medium.ts'

/** One committed change of a ledger row, as recorded by a trigger. */
export interface Transition {
  readonly id: string
  readonly from: MediaState | null
  readonly to: MediaState
  readonly ownerFrom: string | null
  readonly owner: string
  readonly keyFrom: string | null
  readonly key: string | null
  readonly reason: DeletionReason | null
  readonly actor: string | null
  /** The time of the state change according to the ledger. */
  readonly at: number
  readonly createdAt: number
  readonly finalizedAt: number | null
  readonly wasReferenced: boolean
  /** The time at which the file was orphaned before this change, or null. */
  readonly orphanedAt: number | null
}

/** Creates triggers that record every change of a ledger row, also between two inspections. */
export async function watchLedger(tx: SqlExecutor): Promise<void> {
  for (const statement of STATEMENTS[tx.dialect]) await tx.execute(statement)
}

/** Returns the changes after the change with the number `last`, in order for each row. */
export async function transitionsAfter(
  tx: SqlExecutor,
  last: number,
): Promise<{ last: number; transitions: Transition[] }> {
  const rows = await tx.query(`SELECT * FROM model_history WHERE seq > ${last} ORDER BY seq`)
  const number = (value: unknown): number | null => (value == null ? null : toNumber(value))
  const text = (value: unknown): string | null => (value == null ? null : String(value))
  return {
    last: rows.length === 0 ? last : toNumber(rows.at(-1)?.['seq']),
    transitions: rows.map((row) => ({
      id: String(row['id']),
      from: text(row['state_from']) as MediaState | null,
      to: String(row['state_to']) as MediaState,
      ownerFrom: text(row['owner_from']),
      owner: String(row['owner_to']),
      keyFrom: text(row['key_from']),
      key: text(row['key_to']),
      reason: text(row['reason']) as DeletionReason | null,
      actor: text(row['actor']),
      at: toNumber(row['at']),
      createdAt: toNumber(row['created_at']),
      finalizedAt: number(row['finalized_at']),
      wasReferenced: row['referenced_at'] != null,
      orphanedAt: number(row['orphaned_at']),
    })),
  }
}

const COLUMNS = `id, state_from, state_to, owner_from, owner_to, key_from, key_to, reason, actor, at, created_at,
  finalized_at, referenced_at, orphaned_at`
const AFTER_UPDATE = `NEW.id, OLD.state, NEW.state, OLD.owner, NEW.owner, OLD.permanent_key, NEW.permanent_key,
  NEW.reason, NEW.actor, NEW.changed_at, NEW.created_at, OLD.finalized_at, OLD.referenced_at, OLD.orphaned_at`
const AFTER_INSERT = `NEW.id, NULL, NEW.state, NULL, NEW.owner, NULL, NEW.permanent_key, NEW.reason, NEW.actor,
  NEW.changed_at, NEW.created_at, NULL, NULL, NULL`
const HAS_CHANGED = `OLD.state <> NEW.state OR OLD.owner <> NEW.owner
  OR COALESCE(OLD.permanent_key, '') <> COALESCE(NEW.permanent_key, '')`
const INSERT = `INSERT INTO model_history (${COLUMNS})`

function table(seq: string, suffix = ''): string {
  return `CREATE TABLE model_history (seq ${seq}, id VARCHAR(64), state_from VARCHAR(16), state_to VARCHAR(16),
    owner_from VARCHAR(255), owner_to VARCHAR(255), key_from VARCHAR(900), key_to VARCHAR(900), reason VARCHAR(32),
    actor VARCHAR(255), at BIGINT, created_at BIGINT, finalized_at BIGINT, referenced_at BIGINT, orphaned_at BIGINT)${suffix}`
}

const STATEMENTS: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [
    table('INTEGER PRIMARY KEY AUTOINCREMENT'),
    `CREATE TRIGGER model_update AFTER UPDATE ON quillgate_media WHEN ${HAS_CHANGED}
      BEGIN ${INSERT} VALUES (${AFTER_UPDATE}); END`,
    `CREATE TRIGGER model_insert AFTER INSERT ON quillgate_media BEGIN ${INSERT} VALUES (${AFTER_INSERT}); END`,
  ],
  postgres: [
    table('BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY'),
    `CREATE FUNCTION model_update() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN ${INSERT} VALUES (${AFTER_UPDATE}); RETURN NULL; END $$`,
    `CREATE FUNCTION model_insert() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN ${INSERT} VALUES (${AFTER_INSERT}); RETURN NULL; END $$`,
    `CREATE TRIGGER model_update AFTER UPDATE ON quillgate_media FOR EACH ROW WHEN (${HAS_CHANGED})
      EXECUTE FUNCTION model_update()`,
    'CREATE TRIGGER model_insert AFTER INSERT ON quillgate_media FOR EACH ROW EXECUTE FUNCTION model_insert()',
  ],
  mariadb: [
    table('BIGINT AUTO_INCREMENT PRIMARY KEY', ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'),
    `CREATE TRIGGER model_update AFTER UPDATE ON quillgate_media FOR EACH ROW
      ${INSERT} SELECT ${AFTER_UPDATE} FROM DUAL WHERE ${HAS_CHANGED}`,
    `CREATE TRIGGER model_insert AFTER INSERT ON quillgate_media FOR EACH ROW ${INSERT} VALUES (${AFTER_INSERT})`,
  ],
}
