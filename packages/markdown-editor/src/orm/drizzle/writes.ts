import type { Dialect } from '@quillgate/server/database'
import { type Column, type SQL, sql, type Table } from 'drizzle-orm'
import type { DrizzleDatabase } from './executor.ts'
import { keyOf, type Row, type TrackedTable, textsOf, whereKeys, writtenFields } from './tables.ts'
import type { DrizzleScope } from './transactions.ts'

/** Columns, by the names under which their values are wanted. */
type Selection = Readonly<Record<string, Column | SQL>>

/** A statement: awaited it runs; SQLite and PostgreSQL give rows with `returning`. */
interface Statement extends Promise<unknown> {
  returning(selection?: Selection): Promise<Row[]>
  getSQL(): SQL
}

interface Query extends Promise<Row[]> {
  where(condition: SQL | undefined): Query
  for(strength: 'update'): Query
}

/** What all three kinds of databases have alike; their own types are told apart by what cannot matter here. */
interface QueryDatabase {
  insert(table: Table): { values(rows: readonly Row[]): Statement }
  update(table: Table): { set(values: Row): { where(condition: SQL | undefined): Statement } }
  delete(table: Table): { where(condition: SQL | undefined): Statement }
  select(selection?: Selection): { from(table: Table): Query }
  execute(statement: SQL): Promise<readonly [Row[]]>
}

/** Records read at once. */
const PAGE = 500

/** Writes records of one table in a transaction, and tells what was written. */
export interface RecordWriter {
  /** @returns the records as they are now */
  insert(scope: DrizzleScope, rows: readonly Row[]): Promise<Row[]>
  /** @returns how many records */
  update(scope: DrizzleScope, values: Row, condition: SQL | undefined): Promise<number>
  /** @returns how many records */
  remove(scope: DrizzleScope, condition: SQL | undefined): Promise<number>
  /** Tells what records are that were written in another way. @returns how many */
  tell(scope: DrizzleScope, condition: SQL | undefined): Promise<number>
}

/** Makes it. MariaDB returns nothing from an update, so there the records are looked up and locked first. */
export function createRecordWriter(tracked: TrackedTable, dialect: Dialect): RecordWriter {
  const { table, key, fields } = tracked
  const isReturning = dialect !== 'mariadb'

  const tellRows = async (
    { saves }: DrizzleScope,
    rows: readonly Row[],
    written: TrackedTable['fields'],
  ) => {
    for (const row of rows) await saves.save(keyOf(tracked, row), textsOf(written, row))
    return rows.length
  }

  const locked = (db: QueryDatabase, selection: Selection, condition: SQL | undefined): Query => {
    const query = db.select(selection).from(table).where(condition)
    return dialect === 'sqlite' ? query : query.for('update')
  }

  const readAgain = async (
    db: QueryDatabase,
    keys: readonly Row[],
    selection?: Selection,
  ): Promise<Row[]> => {
    const found: Row[] = []
    for (let start = 0; start < keys.length; start += PAGE) {
      const condition = whereKeys(tracked, keys.slice(start, start + PAGE))
      found.push(...(await db.select(selection).from(table).where(condition)))
    }
    return found
  }

  const insertRows = async (db: QueryDatabase, rows: readonly Row[]): Promise<Row[]> => {
    const statement = db.insert(table).values(rows)
    if (isReturning) return statement.returning()
    const columns = Object.entries(key)
    const names = columns.map(([property, column]) => sql`${column} as ${sql.identifier(property)}`)
    const [keys] = await db.execute(
      sql`${statement.getSQL()} returning ${sql.join(names, sql`, `)}`,
    )
    const decoded = keys.map((row) =>
      Object.fromEntries(
        columns.map(([property, column]) => [property, column.mapFromDriverValue(row[property])]),
      ),
    )
    return readAgain(db, decoded)
  }

  return {
    async insert(scope, rows) {
      if (rows.length === 0) return []
      const inserted = await insertRows(queryable(scope.db), rows)
      await tellRows(scope, inserted, fields)
      return inserted
    },

    async update(scope, values, condition) {
      const db = queryable(scope.db)
      const written = writtenFields(tracked, values)
      const selection = { ...key, ...written }
      if (isReturning) {
        const rows = await db.update(table).set(values).where(condition).returning(selection)
        return Object.keys(written).length > 0 ? tellRows(scope, rows, written) : rows.length
      }
      const keys = await locked(db, key, condition)
      await db.update(table).set(values).where(condition)
      if (Object.keys(written).length > 0)
        await tellRows(scope, await readAgain(db, keys, selection), written)
      return keys.length
    },

    async remove(scope, condition) {
      const db = queryable(scope.db)
      const statement = db.delete(table).where(condition)
      const rows = isReturning ? await statement.returning(key) : await locked(db, key, condition)
      if (!isReturning) await statement
      for (const row of rows) await scope.saves.remove(keyOf(tracked, row))
      return rows.length
    },

    async tell(scope, condition) {
      return tellRows(
        scope,
        await locked(queryable(scope.db), { ...key, ...fields }, condition),
        fields,
      )
    },
  }
}

function queryable(db: DrizzleDatabase): QueryDatabase {
  return db as unknown as QueryDatabase
}
