import { type Kysely, sql } from 'kysely'

/** `wsrep_sync_wait`: reads and BEGIN (1), UPDATE and DELETE (2), INSERT (4). */
const SYNC_WAIT = 'SET STATEMENT wsrep_sync_wait = 7 FOR '
const WAITING = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/i

/**
 * Makes a node of a Galera cluster apply what other nodes have committed before it reads, because a
 * node may be some milliseconds behind. On any other server it does nothing. No variable of a
 * session is changed, so that connections of an application stay as they are.
 */
export interface ClusterSync {
  /**
   * Returns the statement with the wait in front of it, for a statement outside of a transaction.
   */
  inFrontOf<Tables>(kysely: Kysely<Tables>, statement: string): Promise<string>
  /**
   * Waits before a transaction begins on this connection, because Galera does not wait inside of
   * one.
   */
  beforeTransaction<Tables>(connection: Kysely<Tables>): Promise<void>
}

/** Asks the server of the first statement whether it is a node of a cluster. */
export function createClusterSync(): ClusterSync {
  let known: boolean | undefined
  // Stores the result, not the promise, because a caller that awaits it may hold the connection
  // that it needs.
  const isNode = async <Tables>(kysely: Kysely<Tables>): Promise<boolean> =>
    (known ??= await askServer(kysely))
  return {
    async inFrontOf(kysely, statement) {
      return WAITING.test(statement) && (await isNode(kysely)) ? SYNC_WAIT + statement : statement
    },
    async beforeTransaction(connection) {
      if (await isNode(connection)) await sql.raw(`${SYNC_WAIT}SELECT 1`).execute(connection)
    },
  }
}

/** Servers without Galera know no such variable and answer with no row. */
async function askServer<Tables>(kysely: Kysely<Tables>): Promise<boolean> {
  const show = sql<{ readonly Value: string }>`SHOW SESSION VARIABLES LIKE 'wsrep_on'`
  const { rows } = await show.execute(kysely.withoutPlugins())
  return rows[0]?.Value === 'ON'
}
