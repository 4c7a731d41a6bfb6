import type { Dialect } from './types.ts'

/** Column types of one dialect, for the statements of a migration. */
export interface ColumnTypes {
  /**
   * ASCII text such as an id or a token: compared and sorted byte by byte, trailing blanks count.
   * @default 64
   */
  id(length?: number): string
  /**
   * Unicode text of at most `length` characters (at most 768 in an index), compared byte by byte
   * like `id`.
   */
  text(length: number): string
  /** Unicode text of any length (MariaDB: 16 MB), not for indexes. */
  readonly longText: string
  /** 64-bit integer; times are milliseconds since the epoch. */
  readonly integer: string
  /** Read it with `toBoolean`. */
  readonly boolean: string
  /** Bytes; `length` is their greatest number, which only MariaDB needs. */
  binary(length: number): string
  /** The SQL after the closing bracket of CREATE TABLE. */
  readonly tableSuffix: string
}

/**
 * The column types that behave alike on every engine. SQLite does not check lengths, but does check
 * types (STRICT).
 *
 * @example
 * const { id, integer, tableSuffix } = columnTypes(dialect)
 * const create = `CREATE TABLE IF NOT EXISTS ${prefix}media (id ${id()} PRIMARY KEY, size ${integer} NOT NULL)${tableSuffix}`
 */
export function columnTypes(dialect: Dialect): ColumnTypes {
  return TYPES[dialect]
}

// MariaDB: "nopad", for in its other collations 'a' equals 'a '.
const TYPES: Readonly<Record<Dialect, ColumnTypes>> = {
  sqlite: {
    id: () => 'text',
    text: () => 'text',
    longText: 'text',
    integer: 'integer',
    boolean: 'integer',
    binary: () => 'blob',
    tableSuffix: ' STRICT',
  },
  postgres: {
    id: (length = 64) => `varchar(${length}) COLLATE "C"`,
    text: (length) => `varchar(${length}) COLLATE "C"`,
    longText: 'text COLLATE "C"',
    integer: 'bigint',
    boolean: 'boolean',
    binary: () => 'bytea',
    tableSuffix: '',
  },
  mariadb: {
    id: (length = 64) => `varchar(${length}) CHARACTER SET ascii COLLATE ascii_nopad_bin`,
    text: (length) => `varchar(${length}) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin`,
    longText: 'mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin',
    integer: 'bigint',
    boolean: 'boolean',
    binary: (length) => `varbinary(${length})`,
    tableSuffix: ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin',
  },
}
