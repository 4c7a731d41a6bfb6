import type { Compilable, Kysely, QueryResult } from 'kysely'
import type { LedgerConnection } from './ledger-database.ts'
import type { LedgerRows } from './schema.ts'

/** The place of a value that is given when the statement runs. */
class Parameter {
  readonly name: PropertyKey

  constructor(name: PropertyKey) {
    this.name = name
  }
}

/**
 * Describes a statement that runs for each upload or each deletion. Each ledger builds and compiles
 * it once, because that takes longer than SQLite takes to run it.
 *
 * @param build adds the values to the statement as parameters. It must not read them, because they
 * are placeholders
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
