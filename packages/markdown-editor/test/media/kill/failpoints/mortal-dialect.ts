import type {
  CompiledQuery,
  DatabaseConnection,
  DatabaseIntrospector,
  Dialect,
  DialectAdapter,
  Driver,
  Kysely,
  QueryCompiler,
  QueryResult,
  TransactionSettings,
} from 'kysely'
import type { MortalProcess } from './mortal-process.ts'

/** A Kysely dialect whose process can die at each statement, BEGIN, COMMIT and ROLLBACK. */
export class MortalDialect implements Dialect {
  readonly #inner: Dialect
  readonly #process: MortalProcess

  constructor(inner: Dialect, process: MortalProcess) {
    this.#inner = inner
    this.#process = process
  }

  createDriver(): Driver {
    return new MortalDriver(this.#inner.createDriver(), this.#process)
  }

  createQueryCompiler(): QueryCompiler {
    return this.#inner.createQueryCompiler()
  }

  createAdapter(): DialectAdapter {
    return this.#inner.createAdapter()
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return this.#inner.createIntrospector(db)
  }
}

class MortalDriver implements Driver {
  readonly #inner: Driver
  readonly #process: MortalProcess

  constructor(inner: Driver, process: MortalProcess) {
    this.#inner = inner
    this.#process = process
  }

  init(): Promise<void> {
    return this.#inner.init()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#process.isDead) return this.#process.never()
    return new MortalConnection(await this.#inner.acquireConnection(), this.#process)
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (!this.#process.isDead) await this.#inner.releaseConnection(innerOf(connection))
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return this.#process.call('BEGIN', () =>
      this.#inner.beginTransaction(innerOf(connection), settings),
    )
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#process.call('COMMIT', () => this.#inner.commitTransaction(innerOf(connection)))
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#process.call('ROLLBACK', () =>
      this.#inner.rollbackTransaction(innerOf(connection)),
    )
  }

  async destroy(): Promise<void> {
    await this.#inner.destroy()
  }
}

class MortalConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection
  readonly #process: MortalProcess

  constructor(inner: DatabaseConnection, process: MortalProcess) {
    this.inner = inner
    this.#process = process
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#process.call(summaryOf(query.sql), () => this.inner.executeQuery<Row>(query))
  }

  streamQuery<Row>(
    query: CompiledQuery,
    chunkSize: number,
  ): AsyncIterableIterator<QueryResult<Row>> {
    return this.inner.streamQuery<Row>(query, chunkSize)
  }
}

function innerOf(connection: DatabaseConnection): DatabaseConnection {
  return (connection as MortalConnection).inner
}

function summaryOf(sql: string): string {
  return sql.replace(/\s+/g, ' ').trim().slice(0, 72)
}
