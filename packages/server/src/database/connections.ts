import type { DialectAdapter } from 'kysely'

/**
 * A queue for the only connection of a database. It replaces Kysely's queue, which waits before it
 * calls the driver. If code inside a transaction asked for a second connection, Kysely would wait
 * forever, and the driver could not throw an error.
 */
export class ConnectionQueue {
  #users = 0
  #last = Promise.resolve()
  #release = (): void => {}

  /** True if the connection is unused and no caller waits for it. */
  get isIdle(): boolean {
    return this.#users === 0
  }

  async acquire(): Promise<void> {
    const previous = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    this.#users++
    await previous
    this.#release = resolve
  }

  release(): void {
    this.#users--
    this.#release()
  }
}

/** Turns off Kysely's own queue for databases with a single connection. */
export function withoutQueue(adapter: DialectAdapter): DialectAdapter {
  return Object.defineProperty(adapter, 'supportsMultipleConnections', { value: true })
}
