import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type Dialect as KyselyDialect,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { isSqliteBusy } from './errors.ts'
import { quoteIdentifier } from './sql-for.ts'
import type { Row } from './types.ts'
import { fromBigInt } from './values.ts'

/** SQLite's own waiting blocks the event loop, so it gets a few milliseconds and we wait outside. */
const BLOCKING_WAIT_MS = 2
const LONGEST_PAUSE_MS = 25

/** Settings of {@link NodeSqliteDialect}. */
export interface NodeSqliteOptions {
  /** Path of the file, or `:memory:`. Its folder is made when it is missing. */
  readonly path: string
  /** How long a statement waits for another process that holds the database, in milliseconds. */
  readonly lockTimeout: number
}

/**
 * Kysely on `node:sqlite`: one connection, write-ahead log for files, foreign keys on, every transaction
 * BEGIN IMMEDIATE (a transaction that reads first and then writes after another writer would fail at once).
 */
export class NodeSqliteDialect implements KyselyDialect {
  readonly #options: NodeSqliteOptions

  constructor(options: NodeSqliteOptions) {
    this.#options = options
  }

  createDriver(): Driver {
    return new NodeSqliteDriver(this.#options)
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler()
  }

  createAdapter(): DialectAdapter {
    return new SqliteAdapter()
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db)
  }
}

class NodeSqliteDriver implements Driver {
  readonly #options: NodeSqliteOptions
  #connection: NodeSqliteConnection | undefined

  constructor(options: NodeSqliteOptions) {
    this.#options = options
  }

  async init(): Promise<void> {
    const { path, lockTimeout } = this.#options
    if (path !== ':memory:') await mkdir(dirname(path), { recursive: true })
    // Loaded here, for on Node 22 the import alone prints an "experimental" warning.
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(path, { timeout: BLOCKING_WAIT_MS, enableForeignKeyConstraints: true })
    const connection = new NodeSqliteConnection(database, lockTimeout)
    try {
      if (path !== ':memory:') await connection.run('PRAGMA journal_mode = WAL')
    } catch (error) {
      connection.close()
      throw error
    }
    this.#connection = connection
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#open()
  }

  async beginTransaction(): Promise<void> {
    await this.#open().begin()
  }

  async commitTransaction(): Promise<void> {
    await this.#open().commit()
  }

  async rollbackTransaction(): Promise<void> {
    await this.#open().rollback()
  }

  async savepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    await this.#open().run(`SAVEPOINT ${quoteIdentifier('sqlite', name)}`)
  }

  async rollbackToSavepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    await this.#open().run(`ROLLBACK TO ${quoteIdentifier('sqlite', name)}`)
  }

  async releaseSavepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    await this.#open().run(`RELEASE ${quoteIdentifier('sqlite', name)}`)
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#connection?.close()
    this.#connection = undefined
  }

  #open(): NodeSqliteConnection {
    if (!this.#connection) throw new Error('The database has been closed.')
    return this.#connection
  }
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #lockTimeout: number
  #begun = false

  constructor(database: DatabaseSync, lockTimeout: number) {
    this.#database = database
    this.#lockTimeout = lockTimeout
  }

  async run(sql: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(sql))
  }

  async begin(): Promise<void> {
    await this.run('BEGIN IMMEDIATE')
    this.#begun = true
  }

  async commit(): Promise<void> {
    await this.run('COMMIT')
    this.#begun = false
  }

  async rollback(): Promise<void> {
    this.#begun = false
    if (this.#database.isTransaction) await this.run('ROLLBACK')
  }

  close(): void {
    this.#database.close()
  }

  async executeQuery<Result>(query: CompiledQuery): Promise<QueryResult<Result>> {
    const deadline = performance.now() + this.#lockTimeout
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return this.#execute(query) as QueryResult<Result>
      } catch (error) {
        // A busy statement has done nothing, so it alone may run again, also within a transaction.
        if (!isSqliteBusy(error) || performance.now() >= deadline) throw error
        await sleep(pause * (0.5 + Math.random()))
      }
    }
  }

  async *streamQuery<Result>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Result>> {
    const statement = this.#prepare(query.sql)
    for (const row of statement.iterate(...toSqlite(query.parameters))) {
      yield { rows: [fromSqlite(row) as Result] }
    }
  }

  #execute({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    // Some errors (disk full, out of memory, ON CONFLICT ROLLBACK …) have already rolled back; whatever comes now
    // would be outside of any transaction.
    if (this.#begun && !this.#database.isTransaction) throw new Error('SQLite has rolled back this transaction.')
    const statement = this.#prepare(sql)
    // Only a statement with columns gives rows: SELECT, RETURNING, PRAGMA.
    if (statement.columns().length > 0) return { rows: statement.all(...toSqlite(parameters)).map(fromSqlite) }
    const { changes, lastInsertRowid } = statement.run(...toSqlite(parameters))
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#database.prepare(sql)
    statement.setReadBigInts(true)
    return statement
  }
}

/** node:sqlite binds every number as REAL; integers become bigint, which it binds as INTEGER. */
function toSqlite(parameters: readonly unknown[]): SQLInputValue[] {
  return (parameters as readonly SQLInputValue[]).map((value) =>
    Number.isSafeInteger(value) ? BigInt(value as number) : value,
  )
}

/** Integers as numbers, those beyond 2^53 as text, as from the other drivers; a plain object instead of a null prototype. */
function fromSqlite(row: Row): Row {
  const plain: Row = { ...row }
  for (const [name, value] of Object.entries(plain)) {
    if (typeof value === 'bigint') plain[name] = fromBigInt(value)
  }
  return plain
}
