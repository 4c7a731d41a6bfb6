import type { Kysely, MysqlPool, PostgresPool } from 'kysely'

/** The supported SQL dialects. PGlite is `postgres`. */
export type Dialect = 'sqlite' | 'postgres' | 'mariadb'

/**
 * A row as the driver returns it. Integers beyond 2^53 and PostgreSQL's `bigint` may be strings.
 */
export type Row = Record<string, unknown>

/**
 * An executor of plain SQL on an open transaction or connection of any library. ORM adapters wrap
 * the transaction of a record, so that Quillgate's rows commit and roll back with the record.
 *
 * An implementation guarantees that statements run in the order of the calls, on one connection;
 * that parameters are bound, never interpolated; and that a failed statement rejects and does not
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
   * If false, a statement outside of a transaction may resolve before it is on disk. It survives if
   * the process is killed, but a power failure may undo it. Has an effect only on SQLite.
   *
   * @default true
   */
  readonly durable?: boolean
}

/** An open database, made by `openDatabase`. */
export interface Database<Tables = unknown> {
  readonly dialect: Dialect
  /**
   * Kysely on this database. Inside the function of `transaction`, use the `trx` that the function
   * receives, because this instance throws `transaction_misuse`.
   */
  readonly kysely: Kysely<Tables>
  /**
   * Runs `work` in one READ COMMITTED transaction (SQLite: BEGIN IMMEDIATE) and commits. If `work`
   * rejects, rolls back. A transaction that failed only because of other transactions runs again
   * after a short random pause, even if a Galera cluster rejects its commit. On such a cluster, the
   * transaction begins after this node has applied earlier commits of other nodes.
   */
  transaction<Result>(work: (trx: Kysely<Tables>) => Promise<Result>): Promise<Result>
  /**
   * Wraps a Kysely instance or transaction of this database as a {@link SqlExecutor}. Outside of a
   * transaction, a statement that failed only because of other transactions runs again. On a Galera
   * cluster, a statement outside of a transaction sees earlier commits of other nodes.
   */
  executor(kysely: Kysely<Tables>, options?: ExecutorOptions): SqlExecutor
  /** Closes our own connections. A Kysely instance or a pool of the caller stays open. */
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
  /** Unique, for example `0001_media`: lower case letters, digits, `_` and `-`. */
  readonly name: string
  /** Returns the statements in a dialect, including the table prefix. */
  statements(dialect: Dialect, prefix: string): readonly string[]
}

/** The schema of one component. */
export interface MigrationSet {
  /** The component in the table of applied migrations, for example `markdown-editor`. */
  readonly component: string
  readonly migrations: readonly Migration[]
}
