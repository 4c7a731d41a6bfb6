import { ConfigurationError } from '@quillgate/server/core'
import type { Dialect } from '@quillgate/server/database'

/** The arguments of an operation on a model. */
export type Args = Readonly<Record<string, unknown>>

/** A record, or the part of it that was selected. */
export type Row = Readonly<Record<string, unknown>>

/** What an operation gives: it begins when somebody waits for it. */
export type Operation<Result = unknown> = PromiseLike<Result>

/** The operations of one model, `prisma.post`. */
export type Delegate = Readonly<Record<string, (args?: Args) => Operation>>

/** Options of `$transaction`. */
export type TransactionOptions = Readonly<Record<string, unknown>>

/** What is used of a client, and of a transaction of it. Models are found by {@link delegateOf}. */
export interface OpenClient {
  $queryRawUnsafe(sql: string, ...params: readonly unknown[]): Operation
  $executeRawUnsafe(sql: string, ...params: readonly unknown[]): Operation<number>
  $transaction<Result>(
    work: ((tx: OpenClient) => Promise<Result>) | readonly Operation[],
    options?: TransactionOptions,
  ): Promise<Result>
}

/** A field, as the generated client knows it. */
export interface FieldModel {
  readonly name: string
  /** `scalar`, `enum`, `object` (a relation) or `unsupported`. */
  readonly kind: string
  /** `String`, `Int` …, or the model of a relation. */
  readonly type: string
  /** Its column, where that has another name. */
  readonly dbName?: string | null
}

/** A model, as the generated client knows it. */
export interface DataModel {
  readonly fields: readonly FieldModel[]
  /** Its table, where that has another name. */
  readonly dbName?: string | null
  readonly schema?: string | null
}

/** What a generated client carries along; Prisma 7 has no public way to its data model. */
interface ClientInternals {
  readonly _runtimeDataModel?: { readonly models?: Readonly<Record<string, DataModel>> }
  readonly _activeProvider?: string
  readonly _engineConfig?: {
    readonly adapter?: { readonly options?: { readonly schema?: string } }
  }
}

/** @throws ConfigurationError for something that is no client of Prisma 7 */
export function dataModelsOf(client: object): ReadonlyMap<string, DataModel> {
  const models = (client as ClientInternals)._runtimeDataModel?.models
  if (models) return new Map(Object.entries(models))
  throw new ConfigurationError('client', 'must be a client of Prisma 7')
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  sqlite: 'sqlite',
  postgresql: 'postgres',
  postgres: 'postgres',
  mysql: 'mariadb',
}

/** @throws ConfigurationError for a kind of database that Quillgate does not speak */
export function dialectOfPrisma(client: object): Dialect {
  const provider = (client as ClientInternals)._activeProvider ?? ''
  const dialect = DIALECTS[provider]
  if (dialect) return dialect
  throw new ConfigurationError(
    'client',
    'must have the provider sqlite, postgresql or mysql (on MariaDB)',
    provider,
  )
}

/** The schema in which Prisma looks for tables of PostgreSQL, whatever the `search_path` is; null for others. */
export function schemaOf(client: object, dialect: Dialect): string | null {
  if (dialect !== 'postgres') return null
  return (client as ClientInternals)._engineConfig?.adapter?.options?.schema ?? 'public'
}

/** The name by which a client has the operations of a model: `Post` is `prisma.post`. */
export function delegateName(model: string): string {
  return model.slice(0, 1).toLowerCase() + model.slice(1)
}

/** The operations of a model. */
export function delegateOf(client: OpenClient, model: string): Delegate {
  return (client as unknown as Readonly<Record<string, Delegate>>)[delegateName(model)] as Delegate
}
