import type { RecordKey } from '../media/record-texts.ts'

/**
 * The key by which the ledger knows a record, alike for every library: the name of its table, and its primary key as
 * text; of several columns, as a JSON array.
 *
 * @param table its name in the database, with the schema where the library names one: `blog.post`
 * @param parts the values of the primary key, in the order of its columns
 * @returns null when a part is not known
 */
export function recordKey(table: string, parts: readonly unknown[]): RecordKey | null {
  if (parts.length === 0 || parts.some((part) => part === undefined || part === null)) return null
  const [first] = parts
  return { type: table, id: parts.length === 1 ? textOf(first) : JSON.stringify(parts.map(textOf)) }
}

function textOf(part: unknown): string {
  if (part instanceof Date) return part.toISOString()
  return part instanceof Uint8Array ? Buffer.from(part).toString('hex') : String(part)
}
