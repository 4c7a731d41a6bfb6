import type { Dialect, SqlExecutor } from '@quillgate/server/database'
import type { Knex } from 'knex'
import { countIn, createExecutor, type DriverResult, dialectOf, rowsIn } from './executor.ts'

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'better-sqlite3': 'sqlite',
  pg: 'postgres',
  postgres: 'postgres',
  mysql2: 'mariadb',
}

/**
 * Returns an executor for a transaction of Knex, for the option `tx` of `references.set`.
 *
 * @throws ConfigurationError if the client is not SQLite (`better-sqlite3`), PostgreSQL or MariaDB
 * (`mysql2`)
 * @example
 * const { removed } = await knex.transaction(async (trx) => {
 *   await trx('post').where({ id }).update({ body })
 *   return editor.references.set({ type: 'post', id }, { body }, { tx: knexExecutor(trx), actor })
 * })
 * await editor.references.settle(removed, { actor })
 */
export function knexExecutor(transaction: Knex.Transaction): SqlExecutor {
  const dialect = dialectOf('knex.client', DIALECTS, String(transaction.client.config.client))
  const run = async (sql: string, params: unknown[]): Promise<DriverResult> => {
    // Knex supports only `?`. So the value of a `$1` that occurs twice is passed twice.
    const numbered: unknown[] = []
    const text = sql.replace(/\$(\d+)/g, (_, number) => {
      numbered.push(params[Number(number) - 1])
      return '?'
    })
    return transaction.raw(text, (dialect === 'postgres' ? numbered : params) as Knex.RawBinding[])
  }
  return createExecutor(dialect, {
    query: async (sql, params) => rowsIn(await run(sql, params)),
    execute: async (sql, params) => countIn(await run(sql, params)),
  })
}
