import type {
  CompiledQuery,
  DatabaseConnection,
  DialectAdapter,
  Driver,
  Dialect as KyselyDialect,
  QueryResult,
  TransactionSettings,
} from 'kysely'
import { isQuillgateError } from '../core/errors.ts'
import { databaseUnavailable, isConnectionLost, isTransient, toDatabaseError } from './errors.ts'
import type { ParsedSource } from './parse-source.ts'
import type { TransactionScope } from './transaction.ts'
import type { Dialect } from './types.ts'
import { toParameters } from './values.ts'

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

const relaxed = new WeakSet<CompiledQuery>()

/** Marks a statement whose effect a power failure may undo, where that is faster. */
export function relax(query: CompiledQuery): CompiledQuery {
  relaxed.add(query)
  return query
}

/**
 * Wraps a dialect of Kysely with what all engines need alike:
 * - parameters are checked, errors get stable codes;
 * - the database used inside its own transaction is an error instead of a deadlock;
 * - one connection is handed out in order;
 * - after a deadlock or a lost connection the transaction is refused until it is rolled back. A
 *   caller who swallowed the error would otherwise go on outside of any transaction (MariaDB and
 *   SQLite have rolled it back by themselves).
 */
export function guardDialect(source: ParsedSource, scope: TransactionScope): KyselyDialect {
  const { inner } = source
  const own = inner.createAdapter()
  const places = own.supportsMultipleConnections === false ? 1 : Number.POSITIVE_INFINITY
  // Otherwise Kysely would queue calls itself, and a misused connection would wait forever instead
  // of throwing.
  const adapter = Object.create(own, {
    supportsMultipleConnections: { value: true },
  }) as DialectAdapter
  return {
    createDriver: () =>
      new GuardedDriver(source, inner.createDriver(), scope, new ConnectionQueue(places)),
    createQueryCompiler: () => inner.createQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: (db) => inner.createIntrospector(db),
  }
}

class GuardedDriver implements Driver {
  readonly #source: ParsedSource
  readonly #inner: SettlingDriver
  readonly #scope: TransactionScope
  readonly #queue: ConnectionQueue
  readonly #settling = new Set<Promise<void>>()

  constructor(
    source: ParsedSource,
    inner: SettlingDriver,
    scope: TransactionScope,
    queue: ConnectionQueue,
  ) {
    this.#source = source
    this.#inner = inner
    this.#scope = scope
    this.#queue = queue
  }

  init(): Promise<void> {
    return this.#connect(() => this.#inner.init())
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#scope.assertOutside()
    const asked = performance.now()
    await this.#queue.enter()
    try {
      this.#inner.waited?.(performance.now() - asked)
      const inner = await this.#connect(() => this.#inner.acquireConnection())
      return new GuardedConnection(this.#source.dialect, inner)
    } catch (error) {
      this.#queue.leave()
      throw error
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#inner.releaseConnection(guarded(connection).inner)
    } finally {
      this.#queue.leave()
    }
    if (guarded(connection).isRelaxed) return
    const settling = this.#inner.settle?.()
    if (!settling) return
    this.#settling.add(settling)
    await settling.finally(() => this.#settling.delete(settling))
  }

  async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    await this.#inner.beginTransaction(guarded(connection).inner, settings)
    guarded(connection).begin()
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    guarded(connection).assertUsable()
    await this.#inner.commitTransaction(guarded(connection).inner)
    guarded(connection).end()
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    guarded(connection).end()
    await this.#inner.rollbackTransaction(guarded(connection).inner)
  }

  async destroy(): Promise<void> {
    this.#scope.assertOutside()
    await this.#queue.empty() // mysql2 and SQLite would cut off what is running.
    await Promise.allSettled(this.#settling)
    await this.#inner.destroy()
  }

  async #connect<Result>(step: () => Promise<Result>): Promise<Result> {
    try {
      return await step()
    } catch (error) {
      throw isQuillgateError(error) ? error : databaseUnavailable(error, this.#source.where)
    }
  }
}

class GuardedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection
  /** True while only relaxed statements have run. */
  isRelaxed = true
  readonly #dialect: Dialect
  #isInTransaction = false
  /** Why this transaction can only be rolled back. */
  #failure: unknown

  constructor(dialect: Dialect, inner: DatabaseConnection) {
    this.#dialect = dialect
    this.inner = inner
  }

  /** Throws the error after which the transaction can only be rolled back, if there was one. */
  assertUsable(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  begin(): void {
    this.isRelaxed = false
    this.#isInTransaction = true
  }

  end(): void {
    this.#isInTransaction = false
    this.#failure = undefined
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.assertUsable()
    this.isRelaxed &&= relaxed.has(query)
    const parameters = toParameters(this.#dialect, query.parameters)
    try {
      return await this.inner.executeQuery<Row>({ ...query, parameters })
    } catch (error) {
      const known = toDatabaseError(error)
      if (this.#isInTransaction && (isTransient(error) || isConnectionLost(error)))
        this.#failure = known
      throw known
    }
  }

  streamQuery(): never {
    return refuseStream()
  }
}

/** Streams exist on some engines only, and keep a connection as long as their reader likes. */
export function refuseStream(): never {
  throw new Error('Streams are not supported. Read a page of rows at a time.')
}

/** Kysely returns only connections that this driver created. */
function guarded(connection: DatabaseConnection): GuardedConnection {
  return connection as GuardedConnection
}

/** Hands out the connections of a database in order; SQLite and PGlite have only one. */
class ConnectionQueue {
  readonly #places: number
  #taken = 0
  #waiting: (() => void)[] = []
  #emptied: (() => void)[] = []

  constructor(places: number) {
    this.#places = places
  }

  /** Waits for a place; every caller must {@link leave}. */
  async enter(): Promise<void> {
    if (this.#taken < this.#places) this.#taken++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Hands the place to the next in line. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken--
    if (this.#taken === 0) for (const resolve of this.#emptied.splice(0)) resolve()
  }

  /** Waits until nobody has or wants a connection. */
  async empty(): Promise<void> {
    if (this.#taken > 0) await new Promise<void>((resolve) => this.#emptied.push(resolve))
  }
}
