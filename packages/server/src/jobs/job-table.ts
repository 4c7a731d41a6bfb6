import type { Kysely, Selectable } from 'kysely'
import { column, table } from '../database/columns.ts'
import { defineTables, type RowsOf } from '../database/tables.ts'
import type { Dialect, SqlExecutor } from '../database/types.ts'

/** `pending`: not done yet; `delivered`: done; `dead`: given up. */
export type JobState = 'pending' | 'delivered' | 'dead'

/**
 * One row per job. Times are milliseconds since the epoch.
 *
 * A row is leased while its `nextAttemptAt` is in the future. `attempts` counts attempts that were
 * begun, and says whose lease it is: a process that writes to a row that another one has taken
 * since changes nothing.
 */
const job = table(
  {
    /** Grows. If jobs of a key are added under a lock, it is their order. */
    position: column.growing(),
    id: column.id(),
    /** `key` is a reserved word of MariaDB. */
    jobKey: column.text(255),
    kind: column.id(),
    /** Empty in a delivered row. */
    payload: column.longText(),
    createdAt: column.integer(),
    state: column.word<JobState>(16),
    attempts: column.integer(),
    /** The end of a pause or of a lease. In other states than `pending`: when it ended. */
    nextAttemptAt: column.integer(),
    lastError: column.longText().orNull(),
  },
  [],
  [
    { name: 'id', columns: ['id'], unique: true },
    { name: 'due', columns: ['state', 'nextAttemptAt'] },
    // Finds jobs of one state, such as dead ones, among all that are kept.
    { name: 'state', columns: ['state', 'position'] },
    { name: 'key', columns: ['jobKey', 'position'] },
    // Finds the waiting jobs of one key, however many delivered ones there are.
    { name: 'line', columns: ['jobKey', 'state', 'position'] },
  ],
)

const definitions = { job }
const tables = defineTables(definitions)

/** The rows of a queue, as Kysely's query builder takes them. */
export type JobRows = RowsOf<typeof definitions>
/** A stored job. */
export type JobRow = Selectable<JobRows['job']>

/** The table of one queue. */
export interface JobTable {
  /** Returns Kysely's query builder, whose statements run on an executor. */
  on(executor: SqlExecutor): Kysely<JobRows>
  /** Returns the statements that create it. */
  createStatements(dialect: Dialect): readonly string[]
}

/** Names the table of a queue: `<prefix>job`. */
export function createJobTable(prefix: string): JobTable {
  return {
    on: (executor) => tables.on(executor, prefix),
    createStatements: (dialect) => tables.createStatements(dialect, prefix),
  }
}
