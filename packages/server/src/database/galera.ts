import { type Kysely, sql } from 'kysely'

/** Waits before all statements: reads and BEGIN (1), UPDATE and DELETE (2), INSERT (4). */
const SYNC_WAIT = 'SET STATEMENT wsrep_sync_wait = 7 FOR '
const WAITING = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/i

/**
 * Makes a node apply the commits of other nodes before it reads. Session variables do not change,
 * because connections may belong to a pool of the application.
 */
export class ClusterSync {
  // Stores the answer, not the promise. A caller that awaited a shared promise could hold the only
  // connection on which the query can run.
  #isNode: boolean | undefined

  /** Returns the SQL that waits and then runs a statement outside of a transaction. */
  async inFrontOf<Tables>(kysely: Kysely<Tables>, statement: string): Promise<string> {
    const waits = WAITING.test(statement) && (await this.#isGalera(kysely))
    return waits ? SYNC_WAIT + statement : statement
  }

  /** Waits before a transaction begins, because Galera does not wait inside a transaction. */
  async beforeTransaction<Tables>(connection: Kysely<Tables>): Promise<void> {
    if (await this.#isGalera(connection)) await sql.raw(`${SYNC_WAIT}SELECT 1`).execute(connection)
  }

  // Servers without Galera do not have the variable and return no row.
  async #isGalera<Tables>(kysely: Kysely<Tables>): Promise<boolean> {
    if (this.#isNode === undefined) {
      const show = sql<{ readonly Value: string }>`SHOW SESSION VARIABLES LIKE 'wsrep_on'`
      const { rows } = await show.execute(kysely.withoutPlugins())
      this.#isNode = rows[0]?.Value === 'ON'
    }
    return this.#isNode
  }
}
