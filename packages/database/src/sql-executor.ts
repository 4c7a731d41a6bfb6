import { CompiledQuery, type Kysely } from 'kysely'
import { toDatabaseError } from './errors.ts'
import type { Dialect, Row, SqlExecutor } from './types.ts'
import { toParameters } from './values.ts'

/**
 * Wraps a Kysely instance, transaction or connection as a {@link SqlExecutor}. Plugins of the application (such as one
 * that renames columns) are left out.
 *
 * @param dialect the dialect of `kysely`; see `dialectOf`
 * @param check called before each statement; throws when the executor may not be used now
 */
export function createSqlExecutor<Tables>(
  dialect: Dialect,
  kysely: Kysely<Tables>,
  check: () => void = () => {},
): SqlExecutor {
  const plain = kysely.withoutPlugins()
  const run = async (sql: string, params: readonly unknown[]) => {
    check()
    const parameters = toParameters(dialect, params)
    try {
      return await plain.executeQuery<Row>(CompiledQuery.raw(sql, parameters))
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
