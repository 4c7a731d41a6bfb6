import type { Kysely, MysqlPool, PostgresPool } from 'kysely'

/** The supported SQL dialects. PGlite is `postgres`. */
export type Dialect = 'sqlite' | 'postgres' | 'mariadb'

/** A row from the driver. Integers beyond 2^53 and PostgreSQL's `bigint` may be strings. */
export type Row = Record<string, unknown>

/**
 * Runs plain SQL on an open transaction or connection of any library. ORM adapters wrap the
 * transaction that saves a record. Quillgate's rows then commit and roll back with the record.
 *
 * Implementations guarantee the following. Statements run in the order of the calls, on one
 * connection. Parameters are bound, never interpolated. A failed statement rejects, but does not
 * end the transaction.
 */
export interface SqlExecutor {
  readonly dialect: Dialect
  /** Placeholders are `?` (SQLite, MariaDB) or `$1` (PostgreSQL). */
  query(sql: string, params?: readonly unknown[]): Promise<Row[]>
  /** `affected` counts all matched rows, including rows that an UPDATE did not change. */
  execute(sql: string, params?: readonly unknown[]): Promise<{ affected: number }>
}

/** Options of {@link Database.executor}. */
export interface ExecutorOptions {
  /**
   * If false, a statement outside of a transaction may resolve before its change is on disk. A
   * power failure may undo the change, but a crash of the process does not. Only SQLite uses this
   * option.
   *
   * @default true
   */
  readonly durable?: boolean
}

/** An open database, made by `openDatabase`. */
export interface Database<Tables = unknown> {
  readonly dialect: Dialect
  /**
   * Kysely on this database. Inside `transaction`, this instance throws `transaction_misuse`, so
   * use the `trx` that your function receives.
   */
  readonly kysely: Kysely<Tables>
  /**
   * Runs `work` in one READ COMMITTED transaction (SQLite: BEGIN IMMEDIATE) and commits. If `work`
   * rejects, rolls back. If the transaction fails only because of other transactions, `work` runs
   * again after a short random pause. A commit that a Galera cluster rejects is such a failure. On
   * Galera, the transaction begins after this node has applied earlier commits of other nodes.
   */
  transaction<Result>(work: (trx: Kysely<Tables>) => Promise<Result>): Promise<Result>
  /**
   * Wraps a Kysely instance or transaction of this database as a {@link SqlExecutor}. Outside of a
   * transaction, a statement runs again if it fails only because of other transactions. On a Galera
   * cluster, such a statement first waits for earlier commits of other nodes.
   */
  executor(kysely: Kysely<Tables>, options?: ExecutorOptions): SqlExecutor
  /** Closes the database. A Kysely instance or a pool that the caller passed stays open. */
  close(): Promise<void>
}

/** A URL, or a Kysely instance or a pool (`pg`, `mysql2`, `mysql2/promise`) of the application. */
export type DatabaseSource =
  | string
  // biome-ignore lint/suspicious/noExplicitAny: a Kysely of any tables is accepted, and Kysely<T> is invariant in T.
  | Kysely<any>
  | PostgresPool
  | MysqlPool
  | { readonly pool: MysqlPool }

/** One step of a schema. Steps run once, in order, and are never edited after a release. */
export interface Migration {
  /** The unique name, for example `0001_media`: lower case letters, digits, `_` and `-`. */
  readonly name: string
  /** Returns the SQL statements for a dialect. The names of tables begin with `prefix`. */
  statements(dialect: Dialect, prefix: string): readonly string[]
}

/** The migrations of one component. */
export interface MigrationSet {
  /** The name of the component in the table of applied migrations, such as `markdown-editor`. */
  readonly component: string
  readonly migrations: readonly Migration[]
}
