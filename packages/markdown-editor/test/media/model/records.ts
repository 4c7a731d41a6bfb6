import type { SqlExecutor } from '@quillgate/server/database'
import { findMediaIds } from '../../../../markdown/src/media-urls/media-id.ts'
import type { Field } from './steps.ts'

export interface StoredRecord {
  readonly type: RecordType
  readonly id: string
  readonly texts: Readonly<Record<Field, string>>
  /** Ids in the texts that were reported as missing when they were saved. */
  readonly missing: Readonly<Record<Field, readonly string[]>>
  /** The owner key of the last writer, or an empty string. */
  readonly writer: string
}

export type RecordType = 'post' | 'note' | 'draft'

export interface AppRecordKey {
  readonly type: RecordType
  readonly id: string
}

/** Posts have two named fields. Notes and drafts have one text. */
export function recordKey(number: number): AppRecordKey {
  return number < 3 ? { type: 'post', id: String(number) } : { type: 'note', id: String(number) }
}

/** The single text of a note or draft has no name. */
export function ledgerField(type: RecordType, field: Field): string {
  return type === 'post' ? field : ''
}

export async function createRecords(tx: SqlExecutor): Promise<void> {
  const text = 'VARCHAR(1000) NOT NULL'
  await tx.execute(`CREATE TABLE app_record (type VARCHAR(8) NOT NULL, id VARCHAR(8) NOT NULL, body ${text}, summary ${text},
    body_missing ${text}, summary_missing ${text}, writer VARCHAR(100) NOT NULL, PRIMARY KEY (type, id))`)
}

export async function readRecords(tx: SqlExecutor, key?: AppRecordKey): Promise<StoredRecord[]> {
  const rows = await tx.query(`SELECT * FROM app_record ${key ? where(key) : ''} ORDER BY type, id`)
  return rows.map((row) => ({
    type: String(row['type']) as RecordType,
    id: String(row['id']),
    texts: { body: String(row['body']), summary: String(row['summary']) },
    missing: {
      body: JSON.parse(String(row['body_missing'])) as string[],
      summary: JSON.parse(String(row['summary_missing'])) as string[],
    },
    writer: String(row['writer']),
  }))
}

export async function writeRecord(
  tx: SqlExecutor,
  key: AppRecordKey,
  texts: Partial<Record<Field, string>>,
  writer: string,
): Promise<void> {
  const lock = tx.dialect === 'sqlite' ? '' : 'FOR UPDATE'
  const found = await tx.query(`SELECT id FROM app_record ${where(key)} ${lock}`)
  if (found.length === 0) {
    await tx.execute(
      `INSERT INTO app_record VALUES ('${key.type}', '${key.id}', '', '', '[]', '[]', '')`,
    )
  }
  const columns = Object.entries(texts).map(
    ([field, text]) => `${field} = '${text}', ${field}_missing = '[]'`,
  )
  await tx.execute(
    `UPDATE app_record SET ${columns.join(', ')}, writer = '${writer}' ${where(key)}`,
  )
}

/** Stores the missing ids with the record, like an application that reports them to the writer. */
export async function writeMissing(
  tx: SqlExecutor,
  key: AppRecordKey,
  texts: Partial<Record<Field, string>>,
  missing: readonly string[],
): Promise<void> {
  for (const [field, text] of Object.entries(texts)) {
    const ids = [...findMediaIds(text)].filter((id) => missing.includes(id))
    if (ids.length === 0) continue
    await tx.execute(
      `UPDATE app_record SET ${field}_missing = '${JSON.stringify(ids)}' ${where(key)}`,
    )
  }
}

/** @returns false if there was no record. Another transaction may be inserting one */
export async function deleteRecord(tx: SqlExecutor, key: AppRecordKey): Promise<boolean> {
  return (await tx.execute(`DELETE FROM app_record ${where(key)}`)).affected > 0
}

function where({ type, id }: AppRecordKey): string {
  return `WHERE type = '${type}' AND id = '${id}'`
}
