import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import { isSqliteBusy } from './errors.ts'
import { WalSync } from './sqlite-wal.ts'
import type { Row } from './types.ts'
import { fromBigInt } from './values.ts'

const LONGEST_PAUSE_MS = 25
/**
 * The log is copied into the database when it has so many pages of 4 kB. That blocks the event loop
 * for two syncs and for each page that changed, however often it did: four times as many as
 * SQLite's default make it a quarter as frequent.
 */
const CHECKPOINT_PAGES = 4000
/**
 * As many statements are kept compiled; an application has far fewer, lists of ids make some more.
 */
const MAX_STATEMENTS = 200
/**
 * Statements that leave the log as it is. Any other may write, RETURNING and pragmas included, and
 * so does RELEASE: that of the outermost savepoint is a commit.
 */
const WRITES_NOTHING = /^\s*(?:select|begin|savepoint|rollback)\b/i

/**
 * A compiled statement, and whether it gives rows: only one with columns does (SELECT, RETURNING,
 * PRAGMA).
 */
interface Prepared {
  readonly statement: StatementSync
  readonly givesRows: boolean
}

/** The one connection of a database on `node:sqlite`. */
export class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #lockTimeout: number
  readonly #statements = new Map<string, Prepared>()
  #wal: WalSync | undefined
  #dataVersion: unknown
  #begun = false
  /** How long the present user has waited for its turn, in milliseconds. */
  #waited = 0

  /**
   * @param lockTimeout how long a statement waits for another process that holds the database, in
   * milliseconds
   */
  constructor(database: DatabaseSync, lockTimeout: number) {
    this.#database = database
    this.#lockTimeout = lockTimeout
  }

  /** Turns the write-ahead log on, where the file system lets SQLite have one. */
  async useWriteAheadLog(): Promise<void> {
    const { rows } = await this.executeQuery<Row>(CompiledQuery.raw('PRAGMA journal_mode = WAL'))
    if (rows[0]?.['journal_mode'] !== 'wal') return
    await this.run('PRAGMA synchronous = NORMAL')
    await this.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    // SQLite keeps the log beside the file itself. The given path can be a link to it.
    const file = (await this.executeQuery<Row>(CompiledQuery.raw('PRAGMA database_list')))
      .rows[0]?.['file']
    this.#wal = new WalSync(String(file))
    // Existing content need not be on disk yet. From here on, a change of the version shows new
    // writes.
    if (this.#isChangedByOthers()) this.#wal.noteWrite()
  }

  /**
   * Counts what the next user has waited for its turn as patience for the lock of another process.
   * While that holds the database, all users fail after one time limit, instead of one after the
   * other after one more each.
   */
  waited(milliseconds: number): void {
    this.#waited = milliseconds
  }

  async run(sql: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(sql))
  }

  async begin(): Promise<void> {
    await this.run('BEGIN IMMEDIATE')
    this.#begun = true
  }

  async commit(): Promise<void> {
    await this.run('COMMIT')
    this.#begun = false
  }

  async rollback(): Promise<void> {
    this.#begun = false
    if (this.#database.isTransaction) await this.run('ROLLBACK')
  }

  /**
   * Waits until all that statements of this connection have written or read is on disk, so that no
   * change is reported that a power failure could undo. Call it outside of transactions.
   */
  async durable(): Promise<void> {
    if (!this.#wal) return
    // A sync that is due covers what others have committed, too.
    if (this.#wal.isDurable && this.#isChangedByOthers()) this.#wal.noteWrite()
    await this.#wal.durable()
  }

  async close(): Promise<void> {
    this.#statements.clear()
    this.#database.close()
    await this.#wal?.close()
  }

  async executeQuery<Result>(query: CompiledQuery): Promise<QueryResult<Result>> {
    // In a transaction the lock is ours already; what is still in the way is short.
    const deadline = performance.now() + this.#lockTimeout - (this.#begun ? 0 : this.#waited)
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return this.#execute(query) as QueryResult<Result>
      } catch (error) {
        // A busy statement has done nothing, so it alone may run again, also within a transaction.
        if (!isSqliteBusy(error) || performance.now() >= deadline) throw error
        await sleep(pause * (0.5 + Math.random()))
      }
    }
  }

  async *streamQuery<Result>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Result>> {
    try {
      // A statement of its own: a cached one would restart if the same query runs meanwhile.
      for (const row of this.#compile(query.sql).iterate(...toSqlite(query.parameters))) {
        yield { rows: [fromSqlite(row) as Result] }
      }
    } finally {
      // It commits when it ends, not before its first row. Kysely lets go of the connection without
      // waiting for it, so that the end of the rows is what tells of the commit.
      this.#noteWrite(query.sql)
      if (!this.#database.isTransaction) await this.durable()
    }
  }

  #execute({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    // Some errors (disk full, out of memory, ON CONFLICT ROLLBACK …) have already rolled back;
    // whatever comes now would be outside of any transaction.
    if (this.#begun && !this.#database.isTransaction)
      throw new Error('SQLite has rolled back this transaction.')
    this.#noteWrite(sql)
    const { statement, givesRows } = this.#prepare(sql)
    if (givesRows) return { rows: statement.all(...toSqlite(parameters)).map(fromSqlite) }
    const { changes, lastInsertRowid } = statement.run(...toSqlite(parameters))
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  #noteWrite(sql: string): void {
    if (!WRITES_NOTHING.test(sql)) this.#wal?.noteWrite()
  }

  /**
   * True when another connection has committed since this was last asked; it may not be on disk
   * yet.
   */
  #isChangedByOthers(): boolean {
    const before = this.#dataVersion
    this.#dataVersion = this.#prepare('PRAGMA data_version').statement.get()?.['data_version']
    return this.#dataVersion !== before
  }

  #prepare(sql: string): Prepared {
    const kept = this.#statements.get(sql)
    if (kept) return kept
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear()
    const statement = this.#compile(sql)
    const prepared = { statement, givesRows: statement.columns().length > 0 }
    this.#statements.set(sql, prepared)
    return prepared
  }

  #compile(sql: string): StatementSync {
    const statement = this.#database.prepare(sql)
    statement.setReadBigInts(true)
    return statement
  }
}

/** node:sqlite binds every number as REAL; integers become bigint, which it binds as INTEGER. */
function toSqlite(parameters: readonly unknown[]): SQLInputValue[] {
  return (parameters as readonly SQLInputValue[]).map((value) =>
    Number.isSafeInteger(value) ? BigInt(value as number) : value,
  )
}

/**
 * Integers as numbers, those beyond 2^53 as text, as from the other drivers; a plain object instead
 * of a null prototype.
 */
function fromSqlite(row: Row): Row {
  const plain: Row = { ...row }
  for (const name in plain) {
    const value = plain[name]
    if (typeof value === 'bigint') plain[name] = fromBigInt(value)
  }
  return plain
}
