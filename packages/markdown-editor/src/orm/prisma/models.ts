import { ConfigurationError } from '@quillgate/server/core'
import { editorError } from '../../errors.ts'
import type { RecordKey } from '../../media/record-texts.ts'
import { recordKey } from '../record-key.ts'
import { type DataModel, dataModelsOf, delegateName, type FieldModel, type Row } from './client.ts'

/** A model with markdown. */
export interface PrismaModel<Field extends string = string> {
  /** The field, or fields, of its `@id` or `@@id`. @default `id` */
  readonly key?: Field | readonly Field[]
  /** The fields with markdown; null: every field of type `String` that is not in the key. */
  readonly fields: readonly Field[] | null
}

/** The models with markdown, by the names that the client gives them: `{ post: { fields: ['body'] } }`. */
export type PrismaModels<Client> = {
  readonly [Name in keyof Client as Client[Name] extends {
    readonly fields: object
    findMany: unknown
  }
    ? Name
    : never]?: PrismaModel<FieldsOf<Client[Name]>>
}

type FieldsOf<Delegate> = Delegate extends { readonly fields: infer Fields }
  ? keyof Fields & string
  : never

/** A field and its column. */
export interface Column {
  readonly field: string
  readonly column: string
}

/** A model whose media are taken care of. */
export interface TrackedModel {
  /** As in the schema: `Post`. */
  readonly model: string
  readonly table: string
  /** Undefined where the model names none. */
  readonly schema: string | undefined
  readonly key: readonly Column[]
  readonly fields: readonly Column[]
}

/** All models of a client, and those that are tracked. */
export interface Models {
  /** By their names in the schema. */
  readonly all: ReadonlyMap<string, DataModel>
  readonly tracked: ReadonlyMap<string, TrackedModel>
}

/**
 * Reads what the application configured, and what the generated client knows about it.
 *
 * @throws ConfigurationError for no model, an unknown one, a model without such a key, and for unknown or no fields
 */
export function readModels(
  client: object,
  models: Readonly<Record<string, PrismaModel | undefined>>,
): Models {
  const all = dataModelsOf(client)
  const byDelegate = new Map([...all.keys()].map((model) => [delegateName(model), model]))
  const tracked = new Map<string, TrackedModel>()
  for (const [name, options] of Object.entries(models)) {
    const model = byDelegate.get(name)
    const data = model === undefined ? undefined : all.get(model)
    if (model === undefined || !data || !options) {
      throw new ConfigurationError(
        'models',
        `must name models of the client: ${[...byDelegate.keys()].join(', ')}`,
        name,
      )
    }
    tracked.set(model, trackedModel(name, model, data, options))
  }
  if (tracked.size === 0) throw new ConfigurationError('models', 'must name at least one model')
  return { all, tracked }
}

function trackedModel(
  name: string,
  model: string,
  data: DataModel,
  { key = 'id', fields }: PrismaModel,
): TrackedModel {
  const columnsOf = (option: string, names: readonly string[]): Column[] => {
    if (names.length === 0)
      throw new ConfigurationError(`models.${name}.${option}`, 'must name at least one field')
    return names.map((field) => columnOf(`models.${name}.${option}`, data, field))
  }
  const keys = ([] as string[]).concat(key)
  const texts = data.fields
    .filter((field) => isText(field) && !keys.includes(field.name))
    .map((field) => field.name)
  return {
    model,
    table: data.dbName ?? model,
    schema: data.schema ?? undefined,
    key: columnsOf('key', keys),
    fields: columnsOf('fields', fields ?? texts),
  }
}

function columnOf(option: string, { fields }: DataModel, name: string): Column {
  const field = fields.find((each) => each.name === name && each.kind !== 'object')
  if (field) return { field: name, column: field.dbName ?? name }
  throw new ConfigurationError(option, 'must name fields of the model', name)
}

function isText({ kind, type }: FieldModel): boolean {
  return kind === 'scalar' && type === 'String'
}

/** What the ledger calls records of this model. */
export function ledgerType({ table, schema }: TrackedModel): string {
  return schema === undefined ? table : `${schema}.${table}`
}

/**
 * The key of a record as the ledger knows it.
 * @throws QuillgateError `record_without_id` (500) when the row has no key
 */
export function keyOf(tracked: TrackedModel, row: Row): RecordKey {
  const { model, key } = tracked
  const found = recordKey(
    ledgerType(tracked),
    key.map(({ field }) => row[field]),
  )
  if (found) return found
  const detail = `A saved ${model} came back without its key, so its media cannot be kept. Do not omit ${key.map(({ field }) => field).join(', ')}.`
  throw editorError('record_without_id', detail)
}
