import { CompiledQuery, type Kysely } from 'kysely'
import { toDatabaseError } from './errors.ts'
import { withoutDurability } from './sqlite-wal.ts'
import type { Dialect, ExecutorOptions, Row, SqlExecutor } from './types.ts'
import { toParameters } from './values.ts'

interface StatementOptions extends ExecutorOptions {
  readonly check?: () => void
  readonly prepare?: ((sql: string) => Promise<string>) | null
}

/**
 * Wraps a Kysely instance, transaction or connection as a {@link SqlExecutor}. Plugins of the
 * application (such as one that renames columns) are left out.
 *
 * @param dialect the dialect of `kysely`; see `dialectOf`
 * @param options.check called before each statement; throws when the executor may not be used now
 * @param options.prepare returns the SQL to send in place of a statement
 */
export function createSqlExecutor<Tables>(
  dialect: Dialect,
  kysely: Kysely<Tables>,
  { check, prepare, durable = true }: StatementOptions = {},
): SqlExecutor {
  const plain = kysely.withoutPlugins()
  const run = async (sql: string, params: readonly unknown[]) => {
    check?.()
    const parameters = toParameters(dialect, params)
    try {
      const text = prepare ? await prepare(sql) : sql
      const execute = () => plain.executeQuery<Row>(CompiledQuery.raw(text, parameters))
      return await (durable ? execute() : withoutDurability(execute))
    } catch (error) {
      throw toDatabaseError(error)
    }
  }
  return {
    dialect,
    async query(sql, params = []) {
      return (await run(sql, params)).rows
    },
    async execute(sql, params = []) {
      const { numAffectedRows, rows } = await run(sql, params)
      return { affected: numAffectedRows === undefined ? rows.length : Number(numAffectedRows) }
    },
  }
}
