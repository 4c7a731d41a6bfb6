import type { Generated } from 'kysely'
import { columnTypes } from './column-types.ts'
import type { Dialect } from './types.ts'
import { toBoolean, toNumber } from './values.ts'

/** One column of a table: its type in SQL and in TypeScript. */
export interface Column<T = unknown> {
  /** The type in SQL, without `NOT NULL`. */
  type(dialect: Dialect): string
  readonly isNullable: boolean
  /** Reads a value of a row that is not null. */
  read(value: unknown): NonNullable<T>
  /** Returns the same column, but it may be null. */
  orNull(): Column<T | null>
}

/** The columns of a table by their names in TypeScript. In SQL, `createdAt` is `created_at`. */
export type Columns = Readonly<Record<string, Column>>

/** An index of a table. */
export interface Index<Name extends string = string> {
  /** The end of its name, which begins with that of the table. */
  readonly name: string
  readonly columns: readonly Name[]
  readonly unique?: boolean
  /** The condition of a partial index, in SQL. MariaDB does not support it and indexes all rows. */
  readonly where?: string
}

/** A table. Its columns give the row type, the schema in SQL, and how values of rows are read. */
export interface Table<C extends Columns = Columns> {
  readonly columns: C
  /** Empty if a growing column is the primary key. */
  readonly primaryKey: readonly string[]
  readonly indexes: readonly Index[]
}

/** A row of a table. */
export type RowOf<T extends Table> = {
  [Name in keyof T['columns']]: T['columns'][Name] extends Column<infer Value> ? Value : never
}

/**
 * Describes a table.
 *
 * @example
 * const visit = table(
 *   { id: column.id(), userId: column.text(255), country: column.id(2).orNull() },
 *   ['id'],
 *   [{ name: 'user', columns: ['userId', 'id'] }],
 * )
 */
export function table<const C extends Columns>(
  columns: C,
  primaryKey: readonly (keyof C & string)[],
  indexes: readonly Index<keyof C & string>[] = [],
): Table<C> {
  return { columns, primaryKey, indexes }
}

/** The kinds of columns. */
export const column = {
  /** ASCII text such as an id. It is compared byte by byte. */
  id: (length?: number): Column<string> =>
    create((dialect) => columnTypes(dialect).id(length), String),
  /** ASCII text that is one of a few words. */
  word: <Word extends string>(length = 32): Column<Word> => column.id(length) as Column<Word>,
  /** Unicode text of at most `length` characters. It is compared byte by byte. */
  text: (length: number): Column<string> =>
    create((dialect) => columnTypes(dialect).text(length), String),
  /** Unicode text of any length, which cannot be in an index. */
  longText: (): Column<string> => create((dialect) => columnTypes(dialect).longText, String),
  /** A 64-bit integer. Times are milliseconds since the epoch. */
  integer: (): Column<number> => create((dialect) => columnTypes(dialect).integer, toNumber),
  /**
   * An integer that the database assigns, larger than in all earlier rows. It is the primary key of
   * its table.
   */
  growing: (): Column<Generated<number>> =>
    // Kysely's type of a column that inserts leave out. Values are numbers.
    create((dialect) => GROWING_KEY[dialect], toNumber) as unknown as Column<Generated<number>>,
  /** True or false. */
  boolean: (): Column<boolean> => create((dialect) => columnTypes(dialect).boolean, toBoolean),
}

const GROWING_KEY: Readonly<Record<Dialect, string>> = {
  sqlite: 'integer PRIMARY KEY AUTOINCREMENT', // Without AUTOINCREMENT, numbers of deleted rows return.
  postgres: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  mariadb: 'bigint AUTO_INCREMENT PRIMARY KEY',
}

function create<T>(
  type: Column['type'],
  read: (value: unknown) => NonNullable<T>,
  isNullable = false,
): Column<T> {
  return { type, read, isNullable, orNull: () => create<T | null>(type, read, true) }
}
