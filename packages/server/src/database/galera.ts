import { type Kysely, sql } from 'kysely'

/** `wsrep_sync_wait`: reads and BEGIN (1), UPDATE and DELETE (2), INSERT (4). */
const SYNC_WAIT = 'SET STATEMENT wsrep_sync_wait = 7 FOR '
const WAITING = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/i

/**
 * Makes a node of a Galera cluster apply what other nodes have committed before it reads, because a
 * node may be some milliseconds behind. On any other server it does nothing. No variable of a
 * session is changed, so that connections of an application stay as they are.
 */
export class ClusterSync {
  // Stores the answer, not the promise, because a caller that awaits it may hold the connection
  // that it needs.
  #isNode: boolean | undefined

  /** Returns a statement outside of a transaction with the wait in front of it. */
  async inFrontOf<Tables>(kysely: Kysely<Tables>, statement: string): Promise<string> {
    return WAITING.test(statement) && (await this.#ask(kysely)) ? SYNC_WAIT + statement : statement
  }

  /** Waits before a transaction begins, because Galera does not wait inside of one. */
  async beforeTransaction<Tables>(connection: Kysely<Tables>): Promise<void> {
    if (await this.#ask(connection)) await sql.raw(`${SYNC_WAIT}SELECT 1`).execute(connection)
  }

  /** Servers without Galera know no such variable and answer with no row. */
  async #ask<Tables>(kysely: Kysely<Tables>): Promise<boolean> {
    if (this.#isNode === undefined) {
      const show = sql<{ readonly Value: string }>`SHOW SESSION VARIABLES LIKE 'wsrep_on'`
      const { rows } = await show.execute(kysely.withoutPlugins())
      this.#isNode = rows[0]?.Value === 'ON'
    }
    return this.#isNode
  }
}
