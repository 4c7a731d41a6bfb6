import { ConfigurationError } from '@quillgate/server/core'
import { type Dialect, type Row, type SqlExecutor, toParameters } from '@quillgate/server/database'
import type { Knex } from 'knex'

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'better-sqlite3': 'sqlite',
  sqlite3: 'sqlite',
  pg: 'postgres',
  postgres: 'postgres',
  mysql2: 'mariadb',
}

/**
 * Returns an executor for a transaction of Knex, for the option `tx` of `references.set`.
 *
 * @throws ConfigurationError if the client is not SQLite, PostgreSQL or MariaDB (`mysql2`)
 * @example
 * const { removed } = await knex.transaction(async (trx) => {
 *   await trx('post').where({ id }).update({ body })
 *   return editor.references.set({ type: 'post', id }, { body }, { tx: knexExecutor(trx), actor })
 * })
 * await editor.references.settle(removed, { actor })
 */
export function knexExecutor(transaction: Knex.Transaction): SqlExecutor {
  const client: unknown = transaction.client.config.client
  const dialect = DIALECTS[String(client)]
  if (!dialect)
    throw new ConfigurationError(
      'knex.client',
      `must be ${Object.keys(DIALECTS).join(', ')}`,
      client,
    )
  const run = async (sql: string, params: readonly unknown[]): Promise<Answer> => {
    const values = toParameters(dialect, params)
    // Knex has one kind of placeholder; a value may be used twice.
    const bindings: unknown[] = []
    const text = sql.replace(/\$(\d+)/g, (_, number) => {
      bindings.push(values[Number(number) - 1])
      return '?'
    })
    return transaction.raw(text, (dialect === 'postgres' ? bindings : values) as Knex.RawBinding[])
  }
  return {
    dialect,
    query: async (sql, params = []) => rowsOf(await run(sql, params)),
    execute: async (sql, params = []) => ({ affected: countOf(await run(sql, params)) }),
  }
}

/**
 * Drivers answer in their own ways: better-sqlite3 with rows or `changes`, pg with a result, mysql2
 * with a pair.
 */
type Answer =
  | { readonly rows: Row[]; readonly rowCount: number | null }
  | { readonly changes: number }
  | readonly [Row[] | { readonly affectedRows: number }, unknown]
  | readonly Row[]

function rowsOf(answer: Answer): Row[] {
  if ('rows' in answer) return answer.rows
  const isPair = Array.isArray(answer) && Array.isArray(answer[0])
  return (isPair ? answer[0] : answer) as Row[]
}

function countOf(answer: Answer): number {
  if ('rows' in answer) return answer.rowCount ?? 0
  if ('changes' in answer) return answer.changes
  const [header] = answer
  return header && 'affectedRows' in header ? Number(header['affectedRows']) : 0
}
