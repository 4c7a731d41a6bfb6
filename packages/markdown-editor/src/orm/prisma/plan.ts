import { notTracked } from '../errors.ts'
import type { Args } from './client.ts'
import type { Column, Models, TrackedModel } from './models.ts'
import { findRelations, mergeRelations, type Relations } from './nested.ts'

/** Operations that write. */
export type WriteOperation =
  | 'create'
  | 'createMany'
  | 'createManyAndReturn'
  | 'update'
  | 'updateMany'
  | 'updateManyAndReturn'
  | 'upsert'
  | 'delete'
  | 'deleteMany'

/** A write of records of tracked models. */
export interface WritePlan {
  readonly operation: WriteOperation
  readonly model: string
  readonly args: Args
  /** The key of the written record. */
  readonly key: readonly Column[]
  /** What is to be told of the model itself; null: nothing, it is for its relations only. */
  readonly own: OwnTexts | null
  /** Through which records of tracked models are written too. */
  readonly relations: Relations
}

/** Fields of a tracked model to look at after a write. */
export interface OwnTexts {
  readonly tracked: TrackedModel
  readonly fields: readonly Column[]
}

const OPERATIONS: ReadonlySet<string> = new Set<WriteOperation>([
  ...([
    'create',
    'createMany',
    'createManyAndReturn',
    'update',
    'updateMany',
    'updateManyAndReturn',
  ] as const),
  ...(['upsert', 'delete', 'deleteMany'] as const),
])
/** Whether an operation of a model writes. */
export function isWrite(operation: string): operation is WriteOperation {
  return OPERATIONS.has(operation)
}

/**
 * Finds out what an operation writes.
 *
 * @returns null when it writes no text of a tracked model
 * @throws QuillgateError `expression_not_tracked` (500) for a write that cannot be followed
 */
export function planWrite(
  models: Models,
  model: string,
  operation: WriteOperation,
  args: Args,
): WritePlan | null {
  const { data, create, update } = args
  const relations = [data, create, update]
    .map((part) => findRelations(models, model, part))
    .reduce(mergeRelations)
  const tracked = models.tracked.get(model)
  const own = tracked ? ownTexts(tracked, operation, args) : null
  if (!own && relations.size === 0) return null
  return { operation, model, args, key: tracked?.key ?? defaultKey(models, model), own, relations }
}

function ownTexts(
  tracked: TrackedModel,
  operation: WriteOperation,
  { data, update, where }: Args,
): OwnTexts | null {
  const isUpdate =
    operation === 'update' || operation === 'updateMany' || operation === 'updateManyAndReturn'
  if (isUpdate || operation === 'upsert') refuseNewKey(tracked, isUpdate ? data : update, where)
  const fields = isUpdate ? writtenFields(tracked, data) : tracked.fields
  return fields.length > 0 ? { tracked, fields } : null
}

/** The key of a model that is not tracked, and so was not named. */
function defaultKey({ all }: Models, model: string): readonly Column[] {
  if (all.get(model)?.fields.some(({ name, kind }) => name === 'id' && kind !== 'object'))
    return [{ field: 'id', column: 'id' }]
  throw notTracked(
    model,
    'It has no field id by which the records of its relations are found: write these by operations of their own.',
  )
}

/** @param where finds the record; a key that it names already may be written too */
function refuseNewKey({ model, key }: TrackedModel, data: unknown, where: unknown): void {
  const written = isObject(data) ? data : {}
  const known = isObject(where) ? where : {}
  // A key of several fields is one object in the condition.
  const all = Object.assign({}, ...Object.values(known).filter(isObject), known) as Args
  if (key.some(({ field }) => written[field] !== undefined && written[field] !== all[field])) {
    throw notTracked(
      model,
      'The key of a record must not change: delete it and create another one.',
    )
  }
}

function writtenFields({ fields }: TrackedModel, data: unknown): readonly Column[] {
  return isObject(data) ? fields.filter(({ field }) => data[field] !== undefined) : []
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
