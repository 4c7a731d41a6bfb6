import type { Selectable } from 'kysely'
import { column, table } from '../database/columns.ts'
import { defineTables, type RowsOf } from '../database/tables.ts'
import type { Dialect, SqlExecutor } from '../database/types.ts'

/** A `delivered` job is done. A `dead` job has failed and is not attempted again. */
export type JobState = 'pending' | 'delivered' | 'dead'

/**
 * One row per job. Times are milliseconds since the epoch.
 *
 * A row whose `nextAttemptAt` is in the future is leased, or waits for its next attempt. `attempts`
 * counts the attempts that have begun. Each lease increases the number. A failure is recorded only
 * if the number is unchanged, because another process may have leased the row since.
 */
const job = table(
  {
    /** The order of the jobs of a key, if the key is locked while jobs are added. */
    position: column.growing(),
    id: column.id(),
    /** MariaDB reserves the word `key`. */
    jobKey: column.text(255),
    kind: column.id(),
    /** Empty in a delivered row. */
    payload: column.longText(),
    createdAt: column.integer(),
    state: column.word<JobState>(16),
    attempts: column.integer(),
    /** At first `createdAt`, then the end of a pause or lease, or the time when the job ended. */
    nextAttemptAt: column.integer(),
    lastError: column.longText().orNull(),
  },
  [],
  [
    { name: 'id', columns: ['id'], unique: true },
    { name: 'due', columns: ['state', 'nextAttemptAt'] },
    { name: 'state', columns: ['state', 'position'] },
    // Finds the pending jobs of a key without reading its delivered jobs.
    { name: 'line', columns: ['jobKey', 'state', 'position'] },
  ],
)

const definitions = { job }
const tables = defineTables(definitions)

/** The types of the rows of a queue, for Kysely's query builder. */
export type JobRows = RowsOf<typeof definitions>
/** A stored job. */
export type JobRow = Selectable<JobRows['job']>

/** The table of one queue. */
export type JobTable = ReturnType<typeof createJobTable>

/** Returns the table of a queue. Its name is `<prefix>job`. */
export function createJobTable(prefix: string) {
  return {
    on: (executor: SqlExecutor) => tables.on(executor, prefix),
    createStatements: (dialect: Dialect) => tables.createStatements(dialect, prefix),
  }
}
