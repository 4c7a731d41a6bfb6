import type { Generated } from 'kysely'
import type { Dialect } from './types.ts'
import { toBoolean, toNumber } from './values.ts'

type SqlTypes = Readonly<Record<Dialect, string>>

/** One column of a table: its type in SQL and in TypeScript. */
export interface Column<T = unknown> {
  /** The SQL types without `NOT NULL`. */
  readonly types: SqlTypes
  readonly isNullable: boolean
  read(value: unknown): NonNullable<T>
  orNull(): Column<T | null>
}

/** The columns of a table by their names in TypeScript. In SQL, `createdAt` is `created_at`. */
export type Columns = Readonly<Record<string, Column>>

/** An index of a table. */
export interface Index<Name extends string = string> {
  readonly name: string
  readonly columns: readonly Name[]
  readonly unique?: boolean
  /** The condition of a partial index. MariaDB has no partial indexes and indexes all rows. */
  readonly where?: string
}

/** A table. Its columns determine the row type, the SQL schema, and the conversion of values. */
export interface Table<C extends Columns = Columns> {
  readonly columns: C
  /** The columns of the primary key. The list is empty if a `growing` column is the key. */
  readonly primaryKey: readonly string[]
  readonly indexes: readonly Index[]
}

/** A row of a table. */
export type RowOf<T extends Table> = {
  [Name in keyof T['columns']]: T['columns'][Name] extends Column<infer Value> ? Value : never
}

/**
 * Describes a table by its columns, its primary key and its indexes.
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

// In MariaDB, only "nopad" collations distinguish 'a' from 'a '.
const UNICODE = 'CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin'
const ASCII = 'CHARACTER SET ascii COLLATE ascii_nopad_bin'

/**
 * Functions that create a column of each type. Valid values behave the same on every engine. SQLite
 * does not check lengths, and only MariaDB rejects non-ASCII text in an `id`.
 */
export const column = {
  /** ASCII text such as an id, compared byte by byte. */
  id: (length = 64): Column<string> =>
    create(limitedText(length, `varchar(${length}) ${ASCII}`), String),
  /** ASCII text that is one of a few words. */
  word: <Word extends string>(length = 32): Column<Word> => column.id(length) as Column<Word>,
  /** Unicode text, compared byte by byte. An indexed column may have at most 768 characters. */
  text: (length: number): Column<string> =>
    create(limitedText(length, `varchar(${length}) ${UNICODE}`), String),
  /** Unicode text of any length (MariaDB: at most 16 MB). It cannot be indexed. */
  longText: (): Column<string> =>
    create(
      { sqlite: 'text', postgres: 'text COLLATE "C"', mariadb: `mediumtext ${UNICODE}` },
      String,
    ),
  /** A 64-bit integer. Times are milliseconds since the epoch. */
  integer: (): Column<number> =>
    create({ sqlite: 'integer', postgres: 'bigint', mariadb: 'bigint' }, toNumber),
  /** A primary key that the database assigns. Each number is larger than all earlier numbers. */
  growing: (): Column<Generated<number>> =>
    // The type `Generated` lets inserts omit the column. Reading the column returns a number.
    create(GROWING_KEY, toNumber) as unknown as Column<Generated<number>>,
  boolean: (): Column<boolean> =>
    create({ sqlite: 'integer', postgres: 'boolean', mariadb: 'boolean' }, toBoolean),
}

const GROWING_KEY: SqlTypes = {
  sqlite: 'integer PRIMARY KEY AUTOINCREMENT', // Without AUTOINCREMENT, numbers of deleted rows are reused.
  postgres: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  mariadb: 'bigint AUTO_INCREMENT PRIMARY KEY',
}

function limitedText(length: number, mariadb: string): SqlTypes {
  return { sqlite: 'text', postgres: `varchar(${length}) COLLATE "C"`, mariadb }
}

function create<T>(
  types: SqlTypes,
  read: (value: unknown) => NonNullable<T>,
  isNullable = false,
): Column<T> {
  return { types, read, isNullable, orNull: () => create<T | null>(types, read, true) }
}
