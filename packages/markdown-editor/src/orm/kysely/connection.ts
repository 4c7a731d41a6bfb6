import { createSqlExecutor, type Dialect } from '@quillgate/server/database'
import {
  type AbortableQueryOptions,
  type CompiledQuery,
  type ControlledTransaction,
  type DatabaseConnection,
  type Kysely,
  type QueryResult,
  sql,
  type TransactionSettings,
} from 'kysely'
import type {
  ReferenceTracking,
  TrackedTransaction,
} from '../../media/references/track-references.ts'
import { recordKey } from '../record-key.ts'
import { toText } from '../to-text.ts'
import type { TrackedTable } from './tables.ts'
import { extraColumn, findWrite, type TrackedWrite } from './writes.ts'

/** What a connection needs to know. */
export interface FollowedOptions {
  /** The application's instance, without its plugins. */
  readonly base: Kysely<unknown>
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, TrackedTable>
  readonly tracking: ReferenceTracking
}

type Row = Record<string, unknown>

interface OpenTransaction {
  /** Its type counts the savepoints; here their names come from Kysely itself. */
  readonly trx: ControlledTransaction<unknown, string[]>
  readonly saves: TrackedTransaction
}

/** Records read at once. */
const PAGE = 500

/** A connection that passes everything on to the application's instance, and tells what is written on the way. */
export class FollowedConnection implements DatabaseConnection {
  readonly #options: FollowedOptions
  #open: OpenTransaction | null = null

  constructor(options: FollowedOptions) {
    this.#options = options
  }

  async executeQuery<Result>(
    query: CompiledQuery,
    options?: AbortableQueryOptions,
  ): Promise<QueryResult<Result>> {
    const { tables, dialect } = this.#options
    const write = findWrite(query.query, tables, dialect)
    if (!write) return this.#run(query, options)
    return (await this.#inTransaction((open) =>
      this.#follow(open, query, write),
    )) as QueryResult<Result>
  }

  async *streamQuery<Result>(
    query: CompiledQuery,
    chunkSize: number,
    options?: AbortableQueryOptions,
  ): AsyncIterableIterator<QueryResult<Result>> {
    const { tables, dialect, base } = this.#options
    if (findWrite(query.query, tables, dialect))
      yield await this.executeQuery<Result>(query, options)
    else
      yield* (this.#open?.trx ?? base)
        .getExecutor()
        .stream(query as CompiledQuery<Result>, chunkSize, options)
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings = {}): Promise<OpenTransaction> {
    const { base, dialect, tracking } = this.#options
    let builder = base.startTransaction()
    if (isolationLevel) builder = builder.setIsolationLevel(isolationLevel)
    if (accessMode) builder = builder.setAccessMode(accessMode)
    const trx = (await builder.execute()) as OpenTransaction['trx']
    this.#open = { trx, saves: tracking.begin(createSqlExecutor(dialect, trx)) }
    return this.#open
  }

  async commit(): Promise<void> {
    const open = this.#open
    open?.saves.assertComplete()
    await open?.trx.commit().execute()
    this.#open = null
    await open?.saves.committed()
  }

  async rollback(): Promise<void> {
    const open = this.#open
    this.#open = null
    try {
      await open?.trx.rollback().execute()
    } finally {
      await open?.saves.rolledBack()
    }
  }

  async savepoint(name: string): Promise<void> {
    await this.#open?.trx.savepoint(name).execute()
    this.#open?.saves.savepoint(name)
  }

  async rollbackToSavepoint(name: string): Promise<void> {
    await this.#open?.trx.rollbackToSavepoint(name).execute()
    this.#open?.saves.rollbackToSavepoint(name)
  }

  async releaseSavepoint(name: string): Promise<void> {
    await this.#open?.trx.releaseSavepoint(name).execute()
    this.#open?.saves.releaseSavepoint(name)
  }

  #run<Result>(
    query: CompiledQuery,
    options?: AbortableQueryOptions,
  ): Promise<QueryResult<Result>> {
    return (this.#open?.trx ?? this.#options.base).executeQuery(
      query as CompiledQuery<Result>,
      options,
    )
  }

  /** A statement outside any transaction gets its own, so that its references are written with it or not at all. */
  async #inTransaction<Result>(work: (open: OpenTransaction) => Promise<Result>): Promise<Result> {
    if (this.#open) return work(this.#open)
    const open = await this.begin()
    try {
      const result = await work(open)
      await this.commit()
      return result
    } catch (error) {
      // Of two failures the first one says more.
      await this.rollback().catch(() => {})
      throw error
    }
  }

  async #follow(
    { trx, saves }: OpenTransaction,
    query: CompiledQuery,
    write: TrackedWrite,
  ): Promise<QueryResult<Row>> {
    const { table, columns, returning, select } = write
    const executor = trx.getExecutor()
    const runNode = (node: typeof query.query): Promise<QueryResult<Row>> =>
      executor.executeQuery(executor.compileQuery<Row>(node, query.queryId))
    if (!returning) {
      const keys = select ? (await runNode(select)).rows : []
      const result = await executor.executeQuery(query as CompiledQuery<Row>)
      await tell(
        saves,
        write,
        write.kind === 'delete' ? keys : await this.#readAgain(trx, table, columns, keys),
      )
      return result
    }
    const { rows } = await runNode(returning)
    await tell(saves, write, rows)
    const hasRows = 'returning' in query.query && query.query.returning !== undefined
    return {
      rows: hasRows ? rows.map((row) => withoutExtras(row, columns.length)) : [],
      numAffectedRows: BigInt(rows.length),
      ...insertIdOf(write, rows, this.#options.dialect),
    }
  }

  /** What the records are after an update, for a database that does not return it. */
  async #readAgain(
    trx: ControlledTransaction<unknown>,
    { name, key }: TrackedTable,
    columns: readonly string[],
    keys: readonly Row[],
  ): Promise<Row[]> {
    const names = columns.map(
      (column, index) => sql`${sql.ref(column)} as ${sql.ref(extraColumn(index))}`,
    )
    const found: Row[] = []
    for (let start = 0; start < keys.length; start += PAGE) {
      const tuples = keys
        .slice(start, start + PAGE)
        .map((row) => sql`(${sql.join(valuesOf(row, key.length))})`)
      const query = sql<Row>`select ${sql.join(names)} from ${sql.table(name)}
        where (${sql.join(key.map((column) => sql.ref(column)))}) in (${sql.join(tuples)})`
      found.push(...(await query.execute(trx)).rows)
    }
    return found
  }
}

async function tell(
  saves: TrackedTransaction,
  { kind, table, columns }: TrackedWrite,
  rows: Row[],
): Promise<void> {
  for (const row of rows) {
    const values = valuesOf(row, columns.length)
    const key = recordKey(table.name, values.slice(0, table.key.length))
    // An insert that left a record as it was (on conflict do nothing) gives no key.
    if (!key) continue
    const fields = columns
      .slice(table.key.length)
      .map((field, n) => [field, toText(values[table.key.length + n])])
    await (kind === 'delete' ? saves.remove(key) : saves.save(key, Object.fromEntries(fields)))
  }
}

function valuesOf(row: Row, count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => row[extraColumn(index)])
}

function withoutExtras(row: Row, count: number): Row {
  const own = { ...row }
  for (let index = 0; index < count; index++) delete own[extraColumn(index)]
  return own
}

/** What the driver would have said without RETURNING: SQLite the last id, MariaDB the first. */
function insertIdOf(
  { kind, table }: TrackedWrite,
  rows: readonly Row[],
  dialect: Dialect,
): { insertId?: bigint } {
  const row = dialect === 'mariadb' ? rows[0] : rows.at(-1)
  const id = row?.[extraColumn(0)]
  const isGiven = kind === 'insert' && dialect !== 'postgres' && table.key.length === 1
  if (!isGiven || (typeof id !== 'bigint' && !Number.isSafeInteger(Number(id)))) return {}
  return { insertId: BigInt(id as number) }
}
