import {
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  Kysely,
  type Dialect as KyselyDialect,
  type KyselyPlugin,
  MysqlAdapter,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
} from 'kysely'
import type { Dialect, SqlExecutor } from './types.ts'

interface Engine {
  readonly adapter: DialectAdapter
  readonly compiler: QueryCompiler
}

class MariadbAdapter extends MysqlAdapter {
  override get supportsReturning(): boolean {
    return true
  }
}

const ENGINES: Readonly<Record<Dialect, Engine>> = {
  sqlite: { adapter: new SqliteAdapter(), compiler: new SqliteQueryCompiler() },
  postgres: { adapter: new PostgresAdapter(), compiler: new PostgresQueryCompiler() },
  mariadb: { adapter: new MariadbAdapter(), compiler: new MysqlQueryCompiler() },
}

/**
 * Returns a Kysely whose statements run on an executor, for example in a transaction of the
 * application. It cannot begin a transaction itself.
 */
export function kyselyOn<Rows>(executor: SqlExecutor, plugin: KyselyPlugin): Kysely<Rows> {
  const { adapter, compiler } = ENGINES[executor.dialect]
  const dialect: KyselyDialect = {
    createAdapter: () => adapter,
    createDriver: () => new ExecutorDriver(executor),
    createQueryCompiler: () => compiler,
    createIntrospector: unsupported,
  }
  return new Kysely<Rows>({ dialect, plugins: [plugin] })
}

class ExecutorDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(executor: SqlExecutor) {
    this.#connection = {
      executeQuery: (query) => execute(executor, query),
      streamQuery: unsupported,
    }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    unsupported()
  }

  async commitTransaction(): Promise<void> {
    unsupported()
  }

  async rollbackTransaction(): Promise<void> {
    unsupported()
  }

  async destroy(): Promise<void> {}
}

async function execute<Row>(
  executor: SqlExecutor,
  query: CompiledQuery,
): Promise<QueryResult<Row>> {
  const { sql, parameters } = query
  if (givesRows(query)) return { rows: (await executor.query(sql, parameters)) as Row[] }
  const { affected } = await executor.execute(sql, parameters)
  return { rows: [], numAffectedRows: BigInt(affected) }
}

function givesRows({ query, sql }: CompiledQuery): boolean {
  if (query.kind === 'SelectQueryNode') return true
  if (query.kind === 'RawNode') return /^\s*(?:select|with)\b|\breturning\b/i.test(sql)
  return 'returning' in query && query.returning !== undefined
}

function unsupported(): never {
  throw new Error('An executor runs statements only. Use transaction() of the database.')
}
