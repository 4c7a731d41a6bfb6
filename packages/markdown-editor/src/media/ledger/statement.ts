import type { Compilable, Kysely, QueryResult } from 'kysely'
import type { LedgerConnection } from './ledger-database.ts'
import type { LedgerRows } from './schema.ts'

/** A placeholder for a value that is passed when the statement runs. */
class Parameter {
  readonly name: PropertyKey

  constructor(name: PropertyKey) {
    this.name = name
  }
}

/**
 * Returns a function that runs a statement. Each ledger builds and compiles the statement only
 * once, because SQLite runs a statement faster than Kysely compiles it.
 *
 * @param build builds the statement. The values are placeholders, so it must not read them
 */
export function statement<Values extends object, Result>(
  build: (db: Kysely<LedgerRows>, values: Values) => Compilable<Result>,
): (connection: LedgerConnection, values: Values) => Promise<QueryResult<Result>> {
  const placeholders = new Proxy({}, { get: (_, name) => new Parameter(name) }) as Values
  return ({ db, compiled }, values) => {
    const query = compiled.get(build) ?? build(db, placeholders).compile()
    compiled.set(build, query)
    const parameters = query.parameters.map((value) =>
      value instanceof Parameter ? Reflect.get(values, value.name) : value,
    )
    return db.executeQuery({ ...query, parameters }) as Promise<QueryResult<Result>>
  }
}
