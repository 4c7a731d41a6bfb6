import type {
  DatabaseConnection,
  DatabaseIntrospector,
  DialectAdapter,
  Driver,
  Kysely,
  Dialect as KyselyDialect,
  QueryCompiler,
  TransactionSettings,
} from 'kysely'
import { isQuillgateError } from '../core/errors.ts'
import { ConnectionQueue } from './connection-queue.ts'
import { databaseUnavailable, toDatabaseError } from './errors.ts'
import { GuardedConnection } from './guarded-connection.ts'
import { isDurabilityNeeded } from './sqlite-wal.ts'
import type { TransactionScope } from './transaction-scope.ts'
import type { Dialect } from './types.ts'

type CompileQuery = QueryCompiler['compileQuery']

/** A driver whose work may need some more time when it is done. */
export interface SettlingDriver extends Driver {
  /**
   * Called after each connection was released. Others may already use the connection. The result of
   * the statement is returned after this call, or its failure.
   */
  settle?(): Promise<void>
  /** Tells how long, in milliseconds, the one who gets a connection now has waited for it. */
  waited?(milliseconds: number): void
}

const GUARDED = Symbol.for('quillgate.database.guarded')

/**
 * Wraps a dialect of Kysely with what all engines need alike:
 * - parameters are checked, errors get stable codes;
 * - the database used inside its own transaction is an error instead of a deadlock;
 * - one connection is handed out in order;
 * - after a deadlock or a lost connection the transaction is refused until it is rolled back. A
 *   caller who swallowed the error would otherwise go on outside of any transaction (MariaDB and
 *   SQLite have rolled it back by themselves).
 */
export class GuardedDialect implements KyselyDialect {
  readonly #dialect: Dialect
  readonly #inner: KyselyDialect
  readonly #scope: TransactionScope
  readonly #adapter: DialectAdapter
  readonly #where: string

  /** @param where the database, for errors: without its password */
  constructor(dialect: Dialect, inner: KyselyDialect, scope: TransactionScope, where: string) {
    this.#dialect = dialect
    this.#inner = inner
    this.#scope = scope
    this.#where = where
    this.#adapter = inner.createAdapter()
  }

  createDriver(): Driver {
    const places =
      this.#adapter.supportsMultipleConnections === false ? 1 : Number.POSITIVE_INFINITY
    const queue = new ConnectionQueue(places)
    return new GuardedDriver(
      this.#dialect,
      this.#inner.createDriver(),
      this.#scope,
      queue,
      this.#where,
    )
  }

  createQueryCompiler(): QueryCompiler {
    return this.#inner.createQueryCompiler()
  }

  createAdapter(): DialectAdapter {
    // Kysely would queue before it asks the driver, so misuse would wait without end instead of
    // failing.
    return Object.create(this.#adapter, {
      supportsMultipleConnections: { value: true },
      [GUARDED]: { value: true },
    }) as DialectAdapter
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return this.#inner.createIntrospector(db)
  }
}

/** True for a Kysely instance that `openDatabase` made. */
export function isGuarded<Tables>(kysely: Kysely<Tables>): boolean {
  return GUARDED in kysely.getExecutor().adapter
}

class GuardedDriver implements Driver {
  readonly #dialect: Dialect
  readonly #inner: SettlingDriver
  readonly #settling = new Set<Promise<void>>()
  readonly #scope: TransactionScope
  readonly #queue: ConnectionQueue
  readonly #connections = new WeakMap<DatabaseConnection, GuardedConnection>()
  readonly #where: string

  constructor(
    dialect: Dialect,
    inner: SettlingDriver,
    scope: TransactionScope,
    queue: ConnectionQueue,
    where: string,
  ) {
    this.#where = where
    this.#dialect = dialect
    this.#inner = inner
    this.#scope = scope
    this.#queue = queue
  }

  async init(): Promise<void> {
    try {
      await this.#inner.init()
    } catch (error) {
      throw unreachable(error, this.#where)
    }
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#scope.assertOutside()
    const asked = performance.now()
    await this.#queue.enter()
    try {
      this.#inner.waited?.(performance.now() - asked)
      return this.#guarded(await this.#inner.acquireConnection())
    } catch (error) {
      this.#queue.leave()
      throw unreachable(error, this.#where)
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#inner.releaseConnection(guarded(connection).inner)
    } finally {
      this.#queue.leave()
    }
    await this.#settle()
  }

  async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    await guard(() => this.#inner.beginTransaction(guarded(connection).inner, settings))
    guarded(connection).inTransaction = true
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    guarded(connection).assertUsable()
    await guard(() => this.#inner.commitTransaction(guarded(connection).inner))
    guarded(connection).reset()
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    guarded(connection).reset()
    await guard(() => this.#inner.rollbackTransaction(guarded(connection).inner))
  }

  async savepoint(
    connection: DatabaseConnection,
    name: string,
    compile: CompileQuery,
  ): Promise<void> {
    await this.#inner.savepoint?.(guarded(connection).inner, name, compile)
  }

  async rollbackToSavepoint(
    connection: DatabaseConnection,
    name: string,
    compile: CompileQuery,
  ): Promise<void> {
    await this.#inner.rollbackToSavepoint?.(guarded(connection).inner, name, compile)
  }

  async releaseSavepoint(
    connection: DatabaseConnection,
    name: string,
    compile: CompileQuery,
  ): Promise<void> {
    await this.#inner.releaseSavepoint?.(guarded(connection).inner, name, compile)
  }

  async destroy(): Promise<void> {
    this.#scope.assertOutside()
    await this.#queue.empty() // mysql2 and SQLite would cut off what is running.
    await Promise.allSettled(this.#settling)
    await this.#inner.destroy()
  }

  async #settle(): Promise<void> {
    if (!isDurabilityNeeded()) return
    const settling = this.#inner.settle?.()
    if (!settling) return
    this.#settling.add(settling)
    try {
      await settling
    } finally {
      this.#settling.delete(settling)
    }
  }

  #guarded(inner: DatabaseConnection): GuardedConnection {
    let connection = this.#connections.get(inner)
    if (!connection) {
      connection = new GuardedConnection(this.#dialect, inner)
      this.#connections.set(inner, connection)
    }
    connection.reset()
    return connection
  }
}

/** The connections that Kysely hands back are those that it got from us. */
function guarded(connection: DatabaseConnection): GuardedConnection {
  return connection as GuardedConnection
}

function unreachable(error: unknown, where: string): unknown {
  return isQuillgateError(error) ? error : databaseUnavailable(error, where)
}

async function guard(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    throw toDatabaseError(error)
  }
}
