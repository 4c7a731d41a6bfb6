import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { isConnectionLost, isTransient, toDatabaseError } from './errors.ts'
import type { Dialect } from './types.ts'
import { toParameters } from './values.ts'

/** A connection of a driver, with the checks that `GuardedDialect` promises. */
export class GuardedConnection implements DatabaseConnection {
  readonly #dialect: Dialect
  readonly inner: DatabaseConnection
  inTransaction = false
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

  /** The transaction has ended. */
  reset(): void {
    this.inTransaction = false
    this.#failure = undefined
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.assertUsable()
    const parameters = toParameters(this.#dialect, query.parameters)
    try {
      return await this.inner.executeQuery<Row>({ ...query, parameters })
    } catch (error) {
      const known = toDatabaseError(error)
      if (this.inTransaction && (isTransient(error) || isConnectionLost(error)))
        this.#failure = known
      throw known
    }
  }

  async *streamQuery<Row>(
    query: CompiledQuery,
    chunkSize: number,
  ): AsyncIterableIterator<QueryResult<Row>> {
    this.assertUsable()
    const parameters = toParameters(this.#dialect, query.parameters)
    yield* this.inner.streamQuery<Row>({ ...query, parameters }, chunkSize)
  }
}
