import { type Kysely, sql } from 'kysely'

/** `wsrep_sync_wait` is a bit mask. With 7, reads, BEGIN, INSERT, UPDATE and DELETE wait. */
const SYNC_WAIT = 'SET STATEMENT wsrep_sync_wait = 7 FOR '
const WAITING = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/i

/**
 * Makes a node of a MariaDB Galera cluster apply the commits of other nodes before it reads. Does
 * not change session variables, because the connection may belong to a pool of the application.
 */
export class ClusterSync {
  // Stores the result of a query, not a promise that callers share. A caller that waited for the
  // promise could occupy the last free connection, which the query needs.
  #isNode: boolean | undefined

  /** Adds the wait to a statement outside of a transaction. Without Galera, changes nothing. */
  async inFrontOf<Tables>(kysely: Kysely<Tables>, statement: string): Promise<string> {
    const waits = WAITING.test(statement) && (await this.#isGalera(kysely))
    return waits ? SYNC_WAIT + statement : statement
  }

  /** Waits before a transaction begins, because Galera does not wait inside a transaction. */
  async beforeTransaction<Tables>(connection: Kysely<Tables>): Promise<void> {
    if (await this.#isGalera(connection)) await sql.raw(`${SYNC_WAIT}SELECT 1`).execute(connection)
  }

  // On a server without Galera, the variable `wsrep_on` is `OFF` or missing.
  async #isGalera<Tables>(kysely: Kysely<Tables>): Promise<boolean> {
    if (this.#isNode === undefined) {
      const show = sql<{ readonly Value: string }>`SHOW SESSION VARIABLES LIKE 'wsrep_on'`
      const { rows } = await show.execute(kysely.withoutPlugins())
      this.#isNode = rows[0]?.Value === 'ON'
    }
    return this.#isNode
  }
}
