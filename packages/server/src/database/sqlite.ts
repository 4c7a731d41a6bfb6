import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  type DatabaseConnection,
  type DatabaseIntrospector,
  type DialectAdapter,
  type Kysely,
  type Dialect as KyselyDialect,
  type QueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { SettlingDriver } from './guarded-dialect.ts'
import { NodeSqliteConnection } from './sqlite-connection.ts'

/**
 * SQLite's own waiting blocks the event loop, so it gets a few milliseconds and we wait outside.
 */
const BLOCKING_WAIT_MS = 2

/** Settings of {@link NodeSqliteDialect}. */
export interface NodeSqliteOptions {
  /** Path of the file, or `:memory:`. Its folder is made when it is missing. */
  readonly path: string
  /** How long a statement waits for another process that holds the database, in milliseconds. */
  readonly lockTimeout: number
}

/**
 * Kysely on `node:sqlite`: one connection, write-ahead log for files, foreign keys on, every
 * transaction BEGIN IMMEDIATE (a transaction that reads first and then writes after another writer
 * would fail at once). Commits are on disk when they are reported, as with `synchronous = FULL`;
 * several at once share a sync.
 */
export class NodeSqliteDialect implements KyselyDialect {
  readonly #options: NodeSqliteOptions

  constructor(options: NodeSqliteOptions) {
    this.#options = options
  }

  createDriver(): SettlingDriver {
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

class NodeSqliteDriver implements SettlingDriver {
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
    const database = new DatabaseSync(path, {
      timeout: BLOCKING_WAIT_MS,
      enableForeignKeyConstraints: true,
    })
    const connection = new NodeSqliteConnection(database, lockTimeout)
    try {
      if (path !== ':memory:') await connection.useWriteAheadLog()
    } catch (error) {
      await connection.close()
      throw error
    }
    this.#connection = connection
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#open()
  }

  waited(milliseconds: number): void {
    this.#open().waited(milliseconds)
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
    await this.#open().run(`SAVEPOINT ${quoteName(name)}`)
  }

  async rollbackToSavepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    await this.#open().run(`ROLLBACK TO ${quoteName(name)}`)
  }

  async releaseSavepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    await this.#open().run(`RELEASE ${quoteName(name)}`)
  }

  async releaseConnection(): Promise<void> {}

  async settle(): Promise<void> {
    await this.#open().durable()
  }

  async destroy(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    await connection?.close()
  }

  #open(): NodeSqliteConnection {
    if (!this.#connection) throw new Error('The database has been closed.')
    return this.#connection
  }
}

/** Quotes the name of a savepoint. */
function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
