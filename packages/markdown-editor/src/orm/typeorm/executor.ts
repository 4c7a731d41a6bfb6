import { ConfigurationError } from '@quillgate/server/core'
import { type Dialect, type Row, type SqlExecutor, toParameters } from '@quillgate/server/database'
import type { DataSource, QueryRunner } from 'typeorm'

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'better-sqlite3': 'sqlite',
  postgres: 'postgres',
  mariadb: 'mariadb',
  mysql: 'mariadb',
}

/** @throws ConfigurationError for a kind of database that Quillgate does not speak */
export function dialectOfDataSource({ options }: DataSource): Dialect {
  const dialect = DIALECTS[options.type]
  if (dialect) return dialect
  throw new ConfigurationError(
    'dataSource',
    `must be of type ${Object.keys(DIALECTS).join(', ')}`,
    options.type,
  )
}

/** Returns the data source of a query runner, which TypeORM 0.3 calls its connection. */
export function dataSourceOf(runner: QueryRunner): DataSource {
  const { dataSource, connection } = runner as {
    readonly dataSource?: DataSource
    readonly connection?: DataSource
  }
  const found = dataSource ?? connection
  if (found === undefined)
    throw new ConfigurationError(
      'dataSource',
      'must be of TypeORM 0.3.31 or later, or 1.1 or later',
    )
  return found
}

/** Sees the connection of a TypeORM query runner, with its open transaction, as plain SQL. */
export function createTypeormExecutor(queryRunner: QueryRunner, dialect: Dialect): SqlExecutor {
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
