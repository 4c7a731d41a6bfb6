import {
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  DummyDriver,
  Kysely,
  type KyselyPlugin,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
} from 'kysely'
import { withoutQueue } from './connections.ts'
import { MariadbAdapter } from './mariadb.ts'
import type { Dialect, SqlExecutor } from './types.ts'

const ENGINES: Readonly<Record<Dialect, [DialectAdapter, QueryCompiler]>> = {
  // With Kysely's queue, each statement would wait until the previous statement is on disk.
  sqlite: [withoutQueue(new SqliteAdapter()), new SqliteQueryCompiler()],
  postgres: [new PostgresAdapter(), new PostgresQueryCompiler()],
  mariadb: [new MariadbAdapter(), new MysqlQueryCompiler()],
}

/** Returns a Kysely instance that runs its statements on an executor. */
export function kyselyOn<Rows>(executor: SqlExecutor, plugin: KyselyPlugin): Kysely<Rows> {
  const [adapter, compiler] = ENGINES[executor.dialect]
  const connection: DatabaseConnection = {
    executeQuery: (query) => execute(executor, query),
    streamQuery: unsupported,
  }
  return new Kysely<Rows>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () =>
        Object.assign(new DummyDriver(), {
          acquireConnection: async () => connection,
          beginTransaction: async () => unsupported(),
        }),
      createQueryCompiler: () => compiler,
      createIntrospector: unsupported,
    },
    plugins: [plugin],
  })
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
  throw new Error('An executor cannot begin a transaction. Use transaction() of the database.')
}
