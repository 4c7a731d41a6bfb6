import { ConfigurationError } from '@quillgate/server/core'
import { type Dialect, type Row, type SqlExecutor, toParameters } from '@quillgate/server/database'
import type { DataSource, QueryRunner } from 'typeorm'

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'better-sqlite3': 'sqlite',
  postgres: 'postgres',
  mariadb: 'mariadb',
  mysql: 'mariadb',
}

/** @throws ConfigurationError for a kind of database that is not supported */
export function dialectOfDataSource({ options }: DataSource): Dialect {
  const dialect = DIALECTS[options.type]
  if (dialect) return dialect
  const problem = `must be of type ${Object.keys(DIALECTS).join(', ')}`
  throw new ConfigurationError('dataSource', problem, options.type)
}

/**
 * Returns an executor for the transaction of a TypeORM query runner, for the option `tx` of
 * `references.set`.
 *
 * @param queryRunner that of the transaction: `manager.queryRunner`
 * @throws ConfigurationError for a kind of database that is not supported
 * @example
 * const { removed } = await dataSource.transaction(async (manager) => {
 *   await manager.query('UPDATE post SET body = $1 WHERE id = $2', [body, id])
 *   return editor.references.set({ type: 'post', id }, { body }, { tx: typeormExecutor(manager.queryRunner), actor })
 * })
 * await editor.references.settle(removed, { actor })
 */
export function typeormExecutor(queryRunner: QueryRunner | undefined): SqlExecutor {
  if (!queryRunner)
    throw new ConfigurationError('queryRunner', 'is missing: pass the manager of a transaction')
  const dialect = dialectOfDataSource(queryRunner.manager.connection)
  return {
    dialect,
    async query(sql, params = []) {
      const { records } = await queryRunner.query(sql, toParameters(dialect, params), true)
      return records as Row[]
    },
    async execute(sql, params = []) {
      const { affected } = await queryRunner.query(sql, toParameters(dialect, params), true)
      return { affected: affected ?? 0 }
    },
  }
}
