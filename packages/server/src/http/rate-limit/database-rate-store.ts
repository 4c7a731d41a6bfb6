import { type ExpressionBuilder, type Kysely, type RawBuilder, sql } from 'kysely'
import { boolean, functionOf } from '../../core/checks.ts'
import { createReady } from '../../core/ready.ts'
import { field, type Input, parse } from '../../core/schema.ts'
import { column, table } from '../../database/columns.ts'
import { DEFAULT_PREFIX, migrate, tablePrefix } from '../../database/migrate.ts'
import { openDatabase } from '../../database/open.ts'
import { defineTables, type RowsOf } from '../../database/tables.ts'
import type { DatabaseSource, MigrationSet } from '../../database/types.ts'
import { SQL_NOW, toNumber } from '../../database/values.ts'
import type { RateStore } from './rate-store.ts'

const OPTIONS = {
  /** The start of the table name. */
  prefix: field(tablePrefix, DEFAULT_PREFIX),
  /** False: the first hit creates no table; apply `rateMigrations` yourself. */
  migrate: field(boolean, true),
  /** Milliseconds since the epoch, for when expired windows are removed. */
  clock: field(functionOf<() => number>(), () => Date.now()),
}

/** How {@link createDatabaseRateStore} works. */
export type DatabaseRateStoreOptions = Input<typeof OPTIONS>

/** A rate store with a database of its own to close. */
export interface DatabaseRateStore extends RateStore {
  /** Ends connections that the store opened. */
  close(): Promise<void>
}

const definitions = {
  rate: table(
    { rateKey: column.id(80), hits: column.integer(), endsAt: column.integer() },
    ['rateKey'],
    [{ name: 'end', columns: ['endsAt'] }],
  ),
}
type Rows = RowsOf<typeof definitions>
const tables = defineTables(definitions)

/** The table of {@link createDatabaseRateStore}: hashes and numbers. Emptying it loses nothing. */
export const rateMigrations: MigrationSet = {
  component: 'rate-store',
  migrations: [{ name: '0001_rate', statements: tables.createStatements }],
}

const HITS_PER_SWEEP = 500
const TIME_PER_SWEEP = 60_000 // Milliseconds. Expired rows are also removed if there are few hits.
const SWEPT_AT_ONCE = 1000 // Twice as many as the hits since the last sweep can have added.
/** Milliseconds by which a statement that waited for a row may be behind its last writer. */
const SLACK = 60_000

/**
 * Creates a store that all processes with the same database share. A hit is one statement. Windows
 * are measured with the clock of the database. Some hits remove windows that are over.
 *
 * @example
 * const rateLimiter = createRateLimiter({ store: createDatabaseRateStore('postgres://app@localhost/app') })
 */
export function createDatabaseRateStore(
  source: DatabaseSource,
  options: DatabaseRateStoreOptions = {},
): DatabaseRateStore {
  const { prefix, migrate: isMigrating, clock } = parse(OPTIONS, options)
  const database = openDatabase(source, { poolSize: 4 })
  const now = sql<number>`${sql.raw(SQL_NOW[database.dialect])}`
  const ready = createReady(async () => {
    if (isMigrating) await migrate(database, rateMigrations, { prefix })
  })
  const open = async (): Promise<Kysely<Rows>> => {
    await ready()
    // If a power failure forgets hits, a limit starts again. That costs less than a sync per hit.
    return tables.on(database.executor(database.kysely, { durable: false }), prefix)
  }
  let hits = 0
  let sweptAt = Number.NEGATIVE_INFINITY // The first hit removes what other processes left.
  return {
    async hit(key, seconds) {
      const db = await open()
      const { count, resetAfter } = await countHit(db, now, key, Math.ceil(seconds * 1000))
      const sinceSweep = Math.abs(clock() - sweptAt) // A clock that was set back sweeps too.
      if (++hits % HITS_PER_SWEEP === 0 || sinceSweep >= TIME_PER_SWEEP) {
        sweptAt = clock()
        await sweep(db, now)
      }
      return { count, resetAfter: Math.max(0, resetAfter) }
    },
    async takeBack(key) {
      const db = await open()
      await db
        .updateTable('rate')
        .set((eb) => ({ hits: eb('hits', '-', 1) }))
        .where('rateKey', '=', key)
        .where('hits', '>', 0)
        .where('endsAt', '>', now)
        .execute()
    },
    close: () => database.close(),
  }
}

/** @param length of the window in milliseconds */
async function countHit(
  db: Kysely<Rows>,
  now: RawBuilder<number>,
  key: string,
  length: number,
): Promise<{ count: number; resetAfter: number }> {
  const end = sql<number>`${now} + ${length}`
  // An end that is too far ahead comes from a clock that was set back since.
  const tooFar = sql<number>`${now} + ${length + SLACK}`
  const isOver = (eb: ExpressionBuilder<Rows, 'rate'>) =>
    eb.or([eb('rate.endsAt', '<=', now), eb('rate.endsAt', '>', tooFar)])
  const row = await db
    .insertInto('rate')
    .values({ rateKey: key, hits: 1, endsAt: end })
    .onConflict((conflict) =>
      conflict.column('rateKey').doUpdateSet((eb) => ({
        hits: eb
          .case()
          .when(isOver(eb))
          .then(1)
          .else(eb('rate.hits', '+', 1))
          .end(),
        // Comes last, because MariaDB assigns from left to right and both conditions read it.
        endsAt: eb.case().when(isOver(eb)).then(end).else(eb.ref('rate.endsAt')).end(),
      })),
    )
    .returning((eb) => ['hits', eb('endsAt', '-', now).as('reset')])
    .executeTakeFirstOrThrow()
  return { count: row.hits, resetAfter: toNumber(row.reset) }
}

async function sweep(db: Kysely<Rows>, now: RawBuilder<number>): Promise<void> {
  const select = db.selectFrom('rate').select('rateKey').where('endsAt', '<=', now)
  const over = await select.orderBy('endsAt').limit(SWEPT_AT_ONCE).execute()
  if (over.length === 0) return
  const keys = over.map(({ rateKey }) => rateKey)
  await db.deleteFrom('rate').where('endsAt', '<=', now).where('rateKey', 'in', keys).execute()
}
