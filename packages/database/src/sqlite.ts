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
  #database: DatabaseSync | undefined
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
      database.close()
      throw error
    }
    this.#database = database
    this.#connection = connection
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#connection) throw new Error('The driver has not been initialised.')
    return this.#connection
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as NodeSqliteConnection).run('BEGIN IMMEDIATE')
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as NodeSqliteConnection).run('COMMIT')
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // Some errors (disk full, out of memory …) have already rolled back.
    if (this.#database?.isTransaction) await (connection as NodeSqliteConnection).run('ROLLBACK')
  }

  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await (connection as NodeSqliteConnection).run(`SAVEPOINT ${quote(name)}`)
  }

  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await (connection as NodeSqliteConnection).run(`ROLLBACK TO ${quote(name)}`)
  }

  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await (connection as NodeSqliteConnection).run(`RELEASE ${quote(name)}`)
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#database?.close()
    this.#database = undefined
    this.#connection = undefined
  }
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #lockTimeout: number

  constructor(database: DatabaseSync, lockTimeout: number) {
    this.#database = database
    this.#lockTimeout = lockTimeout
  }

  async run(sql: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(sql))
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

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
