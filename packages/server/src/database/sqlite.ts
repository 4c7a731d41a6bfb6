import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Dialect as KyselyDialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { ConnectionQueue, withoutQueue } from './connections.ts'
import type { Limits } from './database-options.ts'
import { connecting, isSqliteBusy } from './errors.ts'
import { WalSync } from './sqlite-wal.ts'
import type { Row } from './types.ts'
import { fromBigInt, toParameters } from './values.ts'

// SQLite blocks the event loop while it waits for a lock, so its own wait is short. Afterwards,
// timers wait between further attempts.
const BLOCKING_WAIT_MS = 2
const LONGEST_PAUSE_MS = 25
// When the log has this many pages of 4 kB, SQLite copies it into the database. Copying syncs twice
// and writes each changed page, which blocks the event loop. The default, 1000, copies more often.
const CHECKPOINT_PAGES = 4000
const MAX_STATEMENTS = 200 // The size of the cache. Most applications have fewer statements.
// Statements that do not write to the log. RELEASE is not in the list, because it can commit.
const WRITES_NOTHING = /^\s*(?:select|begin|savepoint|rollback)\b/i
// Statements with `*`, but not with `count(*)`. If the columns were changed since `prepare`, `all`
// of Node 22.18 returns the old ones. `iterate` does not, but is slower for many rows.
const ALL_COLUMNS = /(?<!\()\*/
// Statements that can succeed while another process has the write lock.
const NEEDS_NO_LOCK = /^\s*(?:select|with|pragma)\b/i

/**
 * Creates the Kysely dialect on `node:sqlite`, with one connection, foreign keys, and a write-ahead
 * log for files. Transactions begin with BEGIN IMMEDIATE. A deferred transaction would fail if
 * another process wrote between its first read and its first write. When the promise of a commit
 * resolves, the commit is on disk.
 *
 * @param path the file, or `:memory:`; the folder of the file is created if it is missing
 */
export function sqliteDialect(path: string, limits: Pick<Limits, 'lockTimeout'>): KyselyDialect {
  return {
    createDriver: () => new SqliteDriver(path, limits.lockTimeout * 1000),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => withoutQueue(new SqliteAdapter()),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

const relaxed = new WeakSet<CompiledQuery>()

/** Marks a statement that may resolve before its commit is on disk, which is faster. */
export function relax(query: CompiledQuery): CompiledQuery {
  relaxed.add(query)
  return query
}

/** A compiled statement. `givesRows` is true for SELECT, RETURNING and PRAGMA. */
interface Prepared {
  readonly statement: StatementSync
  readonly givesRows: boolean
}

class SqliteDriver implements Driver, DatabaseConnection {
  readonly #path: string
  readonly #lockTimeout: number
  readonly #statements = new Map<string, Prepared>()
  #opened: DatabaseSync | undefined
  #wal: WalSync | undefined
  #dataVersion: unknown
  #begun = false
  readonly #queue = new ConnectionQueue()
  /** True while the current user of the connection has run only statements of {@link relax}. */
  #isRelaxed = true
  readonly #settling = new Set<Promise<void>>()
  /**
   * The time at which a statement first found the database locked by another process. It is cleared
   * after a successful write, and when the queue is idle. All users of the queue share the time.
   */
  #busySince: number | undefined

  /** @param lockTimeout how long a statement waits for another process, in milliseconds */
  constructor(path: string, lockTimeout: number) {
    this.#path = path
    this.#lockTimeout = lockTimeout
  }

  init(): Promise<void> {
    this.#busySince = undefined // Clears the time of an earlier failed call.
    return connecting(`sqlite:${this.#path}`, () => this.#open())
  }

  async #open(): Promise<void> {
    if (this.#path !== ':memory:') await mkdir(dirname(this.#path), { recursive: true })
    // Imports the module only here, because the import prints a warning on Node 22.
    const { DatabaseSync } = await import('node:sqlite')
    this.#opened = new DatabaseSync(this.#path, {
      timeout: BLOCKING_WAIT_MS,
      enableForeignKeyConstraints: true,
    })
    try {
      if (this.#path !== ':memory:') await this.#useWriteAheadLog()
    } catch (error) {
      await this.#close()
      throw error
    }
  }

  get #database(): DatabaseSync {
    if (!this.#opened) throw new Error('The database has been closed.')
    return this.#opened
  }

  async #useWriteAheadLog(): Promise<void> {
    const [mode] = await this.#run('PRAGMA journal_mode = WAL')
    if (mode?.['journal_mode'] !== 'wal') return
    await this.#run('PRAGMA synchronous = NORMAL')
    await this.#run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    // `#path` can be a link. The log is next to the real file.
    const [main] = await this.#run('PRAGMA database_list')
    this.#wal = new WalSync(String(main?.['file']))
    // The existing content may not be on disk yet.
    if (this.#isChangedByOthers()) this.#wal.noteWrite()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#queue.isIdle) this.#busySince = undefined
    await this.#queue.acquire()
    this.#isRelaxed = true
    return this
  }

  // Lets the next user begin. Unless all statements were relaxed, then waits for the disk.
  async releaseConnection(): Promise<void> {
    const isRelaxed = this.#isRelaxed
    this.#queue.release()
    if (isRelaxed) return
    const settling = this.#settle()
    this.#settling.add(settling)
    await settling.finally(() => this.#settling.delete(settling))
  }

  async beginTransaction(): Promise<void> {
    this.#isRelaxed = false
    await this.#run('BEGIN IMMEDIATE')
    this.#begun = true
  }

  async commitTransaction(): Promise<void> {
    await this.#run('COMMIT')
    this.#begun = false
  }

  async rollbackTransaction(): Promise<void> {
    this.#begun = false
    if (this.#database.isTransaction) await this.#run('ROLLBACK')
  }

  // Waits until all changes are on disk, including the changes of other processes, because the code
  // that used this connection may have read them.
  async #settle(): Promise<void> {
    if (!this.#wal) return
    // If a sync is already due, it also covers the commits of other processes.
    if (this.#wal.isDurable && this.#isChangedByOthers()) this.#wal.noteWrite()
    await this.#wal.durable()
  }

  async destroy(): Promise<void> {
    await this.acquireConnection()
    await Promise.allSettled(this.#settling)
    await this.#close()
  }

  async #close(): Promise<void> {
    this.#statements.clear()
    this.#opened?.close()
    this.#opened = undefined
    await this.#wal?.close()
    this.#wal = undefined
  }

  async #run(sql: string): Promise<readonly Row[]> {
    return (await this.executeQuery<Row>(CompiledQuery.raw(sql))).rows
  }

  async executeQuery<Result>(query: CompiledQuery): Promise<QueryResult<Result>> {
    this.#isRelaxed &&= relaxed.has(query)
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        const result = this.#execute(query)
        if (!NEEDS_NO_LOCK.test(query.sql)) this.#busySince = undefined
        return result as QueryResult<Result>
      } catch (error) {
        // The statement has changed nothing, so it can run again, even inside a transaction.
        if (!isSqliteBusy(error)) throw error
        this.#busySince ??= performance.now()
        if (performance.now() - this.#busySince >= this.#lockTimeout) throw error
        await sleep(pause * (0.5 + Math.random()))
      }
    }
  }

  streamQuery(): never {
    throw new Error('Streams would occupy the only connection. Read a page of rows at a time.')
  }

  #execute({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    // After some errors (disk full, out of memory, ON CONFLICT ROLLBACK …), SQLite has rolled back.
    // A further statement would run outside of any transaction. BEGIN IMMEDIATE is allowed, because
    // `beginImmediate` in transaction.ts replaces a transaction with a new one.
    if (this.#begun && !this.#database.isTransaction && sql !== 'BEGIN IMMEDIATE')
      throw new Error('SQLite has rolled back this transaction. Run it again from its beginning.')
    if (!WRITES_NOTHING.test(sql)) this.#wal?.noteWrite()
    const { statement, givesRows } = this.#prepare(sql)
    if (givesRows) {
      try {
        const rows = statement[ALL_COLUMNS.test(sql) ? 'iterate' : 'all'](...toSqlite(parameters))
        return { rows: [...rows].map(fromSqlite) }
      } catch (error) {
        this.#statements.delete(sql) // After an error, `iterate` fails each time.
        throw error
      }
    }
    const { changes, lastInsertRowid } = statement.run(...toSqlite(parameters))
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  /** Returns true if another connection has committed since the last call. */
  #isChangedByOthers(): boolean {
    const before = this.#dataVersion
    this.#dataVersion = this.#prepare('PRAGMA data_version').statement.get()?.['data_version']
    return this.#dataVersion !== before
  }

  #prepare(sql: string): Prepared {
    const kept = this.#statements.get(sql)
    if (kept) return kept
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    statement.setReadBigInts(true)
    const prepared = { statement, givesRows: statement.columns().length > 0 }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

// Converts whole numbers to bigint, because node:sqlite binds numbers as REAL.
function toSqlite(parameters: readonly unknown[]): SQLInputValue[] {
  return (toParameters('sqlite', parameters) as SQLInputValue[]).map((value) =>
    Number.isSafeInteger(value) ? BigInt(value as number) : value,
  )
}

// Converts integers to numbers, or to text beyond 2^53. Copies the row, because a row of
// node:sqlite has no prototype.
function fromSqlite(row: Row): Row {
  let plain: Row = {}
  for (const name in row) {
    const column = row[name]
    const value = typeof column === 'bigint' ? fromBigInt(column) : column
    // An assignment to `__proto__` would set the prototype.
    if (name === '__proto__') plain = { ...plain, [name]: value }
    else plain[name] = value
  }
  return plain
}
