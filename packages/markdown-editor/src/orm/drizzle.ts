import type { InferInsertModel, InferSelectModel, SQL, Table } from 'drizzle-orm'
import {
  type TrackedReferences,
  type TrackingOptions,
  trackReferences,
} from '../media/references/track-references.ts'
import { type DrizzleDatabase, dialectOfDrizzle } from './drizzle/executor.ts'
import { type DrizzleTable, type Row, readTables, trackedTable } from './drizzle/tables.ts'
import {
  createDrizzleTransactions,
  type DrizzleScope,
  type DrizzleTransactions,
} from './drizzle/transactions.ts'
import { createRecordWriter, type RecordWriter } from './drizzle/writes.ts'
import { createTurns } from './turns.ts'

export type { Actor } from '../media/owner.ts'
export type { DrizzleDatabase } from './drizzle/executor.ts'
export { drizzleRecords } from './drizzle/records.ts'
export type { DrizzleTable } from './drizzle/tables.ts'

/** What the adapter needs of an editor. */
export interface CleanupEditor {
  readonly references: TrackedReferences
}

/** Options of {@link drizzleCleanup}. */
export type DrizzleCleanupOptions = TrackingOptions

/** What an update may set: values, or SQL that the database computes. */
export type DrizzleValues<Of extends Table> = {
  [Field in keyof InferInsertModel<Of>]?: InferInsertModel<Of>[Field] | SQL
}

/**
 * Writes records and takes care of their media. Each write is a transaction of its own, unless within
 * {@link transaction}.
 */
export interface DrizzleCleanup<Database extends DrizzleDatabase = DrizzleDatabase> {
  /** The database, within a transaction that transaction: for all that has no media. */
  readonly db: Database
  /** @returns the records as they are in the database */
  insert<Of extends Table>(
    table: Of,
    values: InferInsertModel<Of> | readonly InferInsertModel<Of>[],
  ): Promise<InferSelectModel<Of>[]>
  /**
   * Writes the given fields of all records that meet a condition.
   *
   * @param where undefined: all records
   * @returns how many records
   * @throws QuillgateError `expression_not_tracked` (500) for a change of the primary key
   */
  update<Of extends Table>(
    table: Of,
    values: DrizzleValues<Of>,
    where: SQL | undefined,
  ): Promise<number>
  /** Deletes all records that meet a condition. @param where undefined: all records @returns how many */
  delete(table: Table, where: SQL | undefined): Promise<number>
  /**
   * Tells of records that were written in another way, such as an upsert or raw SQL: they are read as they are now.
   * Call it in the same transaction.
   *
   * @returns how many records
   */
  written(table: Table, where: SQL | undefined): Promise<number>
  /**
   * Runs `work` in one transaction; within a transaction, in a nested one (a savepoint). Write with what `work` is
   * given.
   *
   * @throws QuillgateError `transaction_misuse` (500) when called on the outer object within a transaction
   */
  transaction<Result>(work: (saves: DrizzleCleanup<Database>) => Promise<Result>): Promise<Result>
}

/**
 * Lets an editor take care of the media of the given tables, where they are written through what this returns; Drizzle
 * tells nobody of other writes. Both use the same database, and `editor.ready()` comes first.
 *
 * With a SQLite library without promises (better-sqlite3) its transactions, which cannot wait, are begun and ended on
 * the connection of `db`, one after the other. What other code runs on that connection before the end belongs to them.
 *
 * @param db the application's database; tested are better-sqlite3, node-postgres, and mysql2 on MariaDB
 * @param tables the tables with markdown
 * @throws ConfigurationError for another kind of database, a table without primary key, and a field that is no column
 * @example
 * const saves = drizzleCleanup(editor, db, [{ table: posts, fields: ['body'] }])
 * await saves.update(posts, { body }, eq(posts.id, id))
 */
export function drizzleCleanup<Database extends DrizzleDatabase>(
  editor: CleanupEditor,
  db: Database,
  tables: readonly DrizzleTable[],
  options: DrizzleCleanupOptions = {},
): DrizzleCleanup<Database> {
  const dialect = dialectOfDrizzle(db)
  const tracked = readTables(tables, dialect)
  const transactions = createDrizzleTransactions(
    db,
    dialect,
    trackReferences(editor.references, options),
  )
  const writerOf = (table: Table): RecordWriter =>
    createRecordWriter(trackedTable(tracked, table), dialect)
  return createSaves({ db, scope: null, transactions, writerOf })
}

interface Parts<Database> {
  readonly db: Database
  readonly scope: DrizzleScope | null
  readonly transactions: DrizzleTransactions
  writerOf(table: Table): RecordWriter
}

function createSaves<Database extends DrizzleDatabase>(
  parts: Parts<Database>,
): DrizzleCleanup<Database> {
  const { db, scope, transactions, writerOf } = parts
  const inTurn = createTurns()
  const write = <Result>(step: (own: DrizzleScope) => Promise<Result>): Promise<Result> =>
    scope ? inTurn(scope, () => step(scope)) : transactions.run(step)
  return {
    db,
    async insert<Of extends Table>(
      table: Of,
      values: InferInsertModel<Of> | readonly InferInsertModel<Of>[],
    ) {
      const rows = ([] as unknown[]).concat(values) as Row[]
      const writer = writerOf(table)
      return (await write((own) => writer.insert(own, rows))) as InferSelectModel<Of>[]
    },
    async update(table, values, where) {
      const writer = writerOf(table)
      return write((own) => writer.update(own, values, where))
    },
    async delete(table, where) {
      const writer = writerOf(table)
      return write((own) => writer.remove(own, where))
    },
    async written(table, where) {
      const writer = writerOf(table)
      return write((own) => writer.tell(own, where))
    },
    transaction(work) {
      // A transaction of Drizzle has the type of its own driver, but all that is used of a database.
      const within = (own: DrizzleScope) =>
        work(createSaves({ ...parts, db: own.db as Database, scope: own }))
      return scope ? transactions.nest(scope, within) : transactions.run(within)
    },
  }
}
