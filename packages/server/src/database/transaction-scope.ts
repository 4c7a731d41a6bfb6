import { AsyncLocalStorage } from 'node:async_hooks'
import { transactionMisuse } from './errors.ts'

/**
 * Knows whether the running code is inside a transaction of one database. Using the database itself
 * there is an error: on one connection it would wait without end, and with a pool it would run
 * outside the transaction.
 */
export class TransactionScope {
  readonly #storage = new AsyncLocalStorage<{ active: boolean }>()

  /**
   * Runs the body of a transaction. What it leaves running in the background is outside once the
   * body has ended.
   */
  async run<Result>(body: () => Promise<Result>): Promise<Result> {
    const state = { active: true }
    try {
      return await this.#storage.run(state, body)
    } finally {
      state.active = false
    }
  }

  /** @throws QuillgateError `transaction_misuse` inside a transaction */
  assertOutside(): void {
    if (this.#storage.getStore()?.active) throw transactionMisuse()
  }
}
