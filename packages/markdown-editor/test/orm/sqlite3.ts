import BetterSqlite from 'better-sqlite3'

// Implements the functions of the package `sqlite3` that Sequelize calls. Uses better-sqlite3,
// because installing `sqlite3` can need a compiler.

export const OPEN_READWRITE = 2
export const OPEN_CREATE = 4

type Callback = (
  this: { lastID?: number; changes?: number },
  error: Error | null,
  rows?: unknown,
) => void

export class Database {
  readonly #database: BetterSqlite.Database
  readonly uuid?: string

  constructor(filename: string, _mode: number, callback: Callback) {
    this.#database = new BetterSqlite(filename, { timeout: 5 })
    queueMicrotask(() => callback.call({}, null))
  }

  serialize(work: () => void): void {
    work()
  }

  run(sql: string, ...rest: unknown[]): this {
    return this.#do(rest, (values) => {
      const statement = this.#database.prepare(sql)
      if (statement.reader) return { rows: statement.all(values) }
      const { changes, lastInsertRowid } = statement.run(values)
      return { changes, lastID: Number(lastInsertRowid) }
    })
  }

  all(sql: string, ...rest: unknown[]): this {
    return this.#do(rest, (values) => {
      const statement = this.#database.prepare(sql)
      if (statement.reader) return { rows: statement.all(values) }
      statement.run(values)
      return { rows: [] }
    })
  }

  exec(sql: string, callback?: Callback): this {
    return this.#do([callback], () => {
      this.#database.exec(sql)
      return {}
    })
  }

  close(callback?: Callback): void {
    this.#database.close()
    callback?.call({}, null)
  }

  #do(
    rest: unknown[],
    work: (values: object) => { rows?: unknown; changes?: number; lastID?: number },
  ): this {
    const callback = rest.find((each) => typeof each === 'function') as Callback | undefined
    const given = rest.find((each) => typeof each === 'object' && each !== null) ?? {}
    const values = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name.replace(/^\$/, ''), toSqlite(value)]),
    )
    try {
      const { rows, ...result } = work(values)
      queueMicrotask(() => callback?.call(result, null, rows))
    } catch (error) {
      queueMicrotask(() => callback?.call({}, error as Error))
    }
    return this
  }
}

function toSqlite(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value
}
