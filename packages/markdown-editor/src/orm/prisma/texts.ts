import type { Dialect } from '@quillgate/server/database'
import { toText } from '../to-text.ts'
import type { OpenClient, Row } from './client.ts'
import type { Column, TrackedModel } from './models.ts'

/** Reads what the fields of a record are now. @returns null when there is no such record */
export type ReadTexts = (
  tx: OpenClient,
  tracked: TrackedModel,
  key: Row,
  fields: readonly Column[],
) => Promise<Record<string, string | null> | null>

/**
 * Makes it. @param defaultSchema of tables that name none
 * @param isLocking whether the record is locked for the rest of the transaction
 *
 * It reads with SQL: what extensions of the client compute, rename or hide must not be taken for what the
 * database has. With the lock, another save of the record either is seen or waits for the end of this one.
 */
export function createTextReader(
  dialect: Dialect,
  defaultSchema: string | null,
  isLocking = true,
): ReadTexts {
  const quote = (name: string): string =>
    dialect === 'mariadb' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`
  const placeholder = (index: number): string => (dialect === 'postgres' ? `$${index + 1}` : '?')
  const lock = dialect === 'sqlite' || !isLocking ? '' : ' FOR UPDATE'
  return async (tx, { table, schema = defaultSchema, key }, row, fields) => {
    const columns = (fields.length > 0 ? fields : key).map(({ column }) => quote(column))
    const from = schema === null ? quote(table) : `${quote(schema)}.${quote(table)}`
    const where = key.map(({ column }, index) => `${quote(column)} = ${placeholder(index)}`)
    const sql = `SELECT ${columns.join(', ')} FROM ${from} WHERE ${where.join(' AND ')}${lock}`
    const params = key.map(({ field }) => row[field])
    const [found] = (await tx.$queryRawUnsafe(sql, ...params)) as Row[]
    return found
      ? Object.fromEntries(fields.map(({ field, column }) => [field, toText(found[column])]))
      : null
  }
}
