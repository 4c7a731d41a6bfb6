import { dialectOf } from '@quillgate/server/database'
import {
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  Kysely,
  type Dialect as KyselyDialect,
  type QueryExecutor,
  type TransactionSettings,
} from 'kysely'
import {
  type TrackedReferences,
  type TrackingOptions,
  trackReferences,
} from '../media/references/track-references.ts'
import { FollowedConnection, type FollowedOptions } from './kysely/connection.ts'
import { type KyselyTables, readTables } from './kysely/tables.ts'

export type { Actor } from '../media/owner.ts'
export { kyselyRecords } from './kysely/records.ts'
export type { KyselyTable, KyselyTables } from './kysely/tables.ts'

/** What the adapter needs of an editor. */
export interface CleanupEditor {
  readonly references: TrackedReferences
}

/** Options of {@link kyselyCleanup}. */
export type KyselyCleanupOptions = TrackingOptions

/**
 * Makes a second Kysely instance on the same connections: what is written through it takes care of its media. Use it
 * where the application writes; the editor is made with the plain one, which knows no tables of this kind. Both use the
 * same database, and `editor.ready()` comes first.
 *
 * Followed are insert, update and delete queries, in transactions with their savepoints or each in one of its own; the
 * texts are read from the database, so expressions and upserts count as what they became. Refused, for their records
 * are not seen: `replace`, `merge`, writes within `with`, and changes of a primary key. What only the database knows
 * (raw SQL, triggers, ON DELETE CASCADE) is not followed: media of such records stay until `references.remove` is
 * called.
 *
 * A record is known by the name of its table as the query has it: with `withSchema('blog')` that is `blog.post`, not
 * `post`. It has no connection of its own between statements: for `connection()` use the plain instance. To end it, end
 * that.
 *
 * @param db the application's instance, for SQLite, PostgreSQL or MariaDB; its plugins stay
 * @param tables the tables with markdown, and their columns
 * @throws ConfigurationError for another kind of database, and for tables without columns
 * @example
 * const editor = createMarkdownEditor({ …, database: plain })
 * export const db = kyselyCleanup(editor, plain, { post: { fields: ['body'] } })
 * await db.updateTable('post').set({ body }).where('id', '=', id).execute()
 */
export function kyselyCleanup<DB>(
  editor: CleanupEditor,
  db: Kysely<DB>,
  tables: KyselyTables<DB>,
  options: KyselyCleanupOptions = {},
): Kysely<DB> {
  const base = db.withoutPlugins() as Kysely<unknown>
  const followed = {
    base,
    dialect: dialectOf(db),
    tables: readTables(db, tables),
    tracking: trackReferences(editor.references, options),
  }
  return new Kysely<DB>({
    dialect: new FollowedDialect(followed),
    plugins: [...db.getExecutor().plugins],
  })
}

class FollowedDialect implements KyselyDialect {
  readonly #options: FollowedOptions
  readonly #executor: QueryExecutor

  constructor(options: FollowedOptions) {
    this.#options = options
    this.#executor = options.base.getExecutor()
  }

  createDriver(): Driver {
    return new FollowedDriver(this.#options)
  }

  createQueryCompiler(): ReturnType<KyselyDialect['createQueryCompiler']> {
    return { compileQuery: (node, queryId) => this.#executor.compileQuery(node, queryId) }
  }

  createAdapter(): DialectAdapter {
    // The application's instance does the queueing. A second queue would hold what it waits for.
    return Object.create(this.#executor.adapter, {
      supportsMultipleConnections: { value: true },
    }) as DialectAdapter
  }

  createIntrospector(): Kysely<unknown>['introspection'] {
    return this.#options.base.introspection
  }
}

class FollowedDriver implements Driver {
  readonly #options: FollowedOptions

  constructor(options: FollowedOptions) {
    this.#options = options
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new FollowedConnection(this.#options)
  }

  async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    await followed(connection).begin(settings)
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return followed(connection).commit()
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return followed(connection).rollback()
  }

  savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    return followed(connection).savepoint(name)
  }

  rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    return followed(connection).rollbackToSavepoint(name)
  }

  releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    return followed(connection).releaseSavepoint(name)
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

/** The connections that Kysely hands back are those that it got from us. */
function followed(connection: DatabaseConnection): FollowedConnection {
  return connection as FollowedConnection
}
