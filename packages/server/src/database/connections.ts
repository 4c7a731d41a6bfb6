import type { DialectAdapter } from 'kysely'

/**
 * A queue for the only connection of a database. Kysely's own queue would make a statement inside a
 * transaction wait for that transaction, instead of failing with `transaction_misuse`.
 */
export class ConnectionQueue {
  #users = 0
  #last = Promise.resolve()
  #release = (): void => {}

  /** True if the connection is not used and nothing waits for it. */
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

/** Turns off Kysely's own queue. */
export function withoutQueue(adapter: DialectAdapter): DialectAdapter {
  return Object.defineProperty(adapter, 'supportsMultipleConnections', { value: true })
}
