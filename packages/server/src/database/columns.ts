import type { Generated } from 'kysely'
import type { Dialect } from './types.ts'
import { toBoolean, toNumber } from './values.ts'

type SqlTypes = Readonly<Record<Dialect, string>>

/** One column of a table: its type in SQL and in TypeScript. */
export interface Column<T = unknown> {
  /** The types in SQL, without `NOT NULL`. */
  readonly types: SqlTypes
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

// In other collations of MariaDB than "nopad", 'a' equals 'a '.
const UNICODE = 'CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin'
const ASCII = 'CHARACTER SET ascii COLLATE ascii_nopad_bin'

/** The kinds of columns, which behave alike on every engine. SQLite does not check lengths. */
export const column = {
  /** ASCII text such as an id. It is compared byte by byte. */
  id: (length = 64): Column<string> =>
    create(limitedText(length, `varchar(${length}) ${ASCII}`), String),
  /** ASCII text that is one of a few words. */
  word: <Word extends string>(length = 32): Column<Word> => column.id(length) as Column<Word>,
  /**
   * Unicode text of at most `length` characters, or 768 in an index. It is compared byte by byte.
   */
  text: (length: number): Column<string> =>
    create(limitedText(length, `varchar(${length}) ${UNICODE}`), String),
  /** Unicode text of any length (MariaDB: 16 MB), which cannot be in an index. */
  longText: (): Column<string> =>
    create(
      { sqlite: 'text', postgres: 'text COLLATE "C"', mariadb: `mediumtext ${UNICODE}` },
      String,
    ),
  /** A 64-bit integer. Times are milliseconds since the epoch. */
  integer: (): Column<number> =>
    create({ sqlite: 'integer', postgres: 'bigint', mariadb: 'bigint' }, toNumber),
  /**
   * An integer that the database assigns, larger than in all earlier rows. It is the primary key of
   * its table.
   */
  growing: (): Column<Generated<number>> =>
    // Kysely's type of a column that inserts leave out. Values are numbers.
    create(GROWING_KEY, toNumber) as unknown as Column<Generated<number>>,
  boolean: (): Column<boolean> =>
    create({ sqlite: 'integer', postgres: 'boolean', mariadb: 'boolean' }, toBoolean),
}

const GROWING_KEY: SqlTypes = {
  sqlite: 'integer PRIMARY KEY AUTOINCREMENT', // Without AUTOINCREMENT, numbers of deleted rows return.
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
