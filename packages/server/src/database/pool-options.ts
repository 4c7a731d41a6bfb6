/** Options of the dialects with a connection pool. */
export interface PoolOptions {
  /** Most connections that are open at once. */
  readonly poolSize: number
  /** How long a statement waits for a lock, in milliseconds. */
  readonly lockTimeout: number
  /** How long to wait for a connection, in milliseconds. */
  readonly connectTimeout: number
  /** How long a statement may take, in milliseconds. */
  readonly statementTimeout: number
}
