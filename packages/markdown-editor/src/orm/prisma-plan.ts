import type { Args } from './prisma-client.ts'
import { notTracked } from './prisma-errors.ts'
import type { Column, Models, TrackedModel } from './prisma-models.ts'

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

/** A write of a tracked model. */
export interface WritePlan {
  readonly operation: WriteOperation
  readonly tracked: TrackedModel
  readonly args: Args
  /** The fields to look at afterwards. */
  readonly fields: readonly Column[]
}

const OPERATIONS: ReadonlySet<string> = new Set<WriteOperation>([
  ...(['create', 'createMany', 'createManyAndReturn', 'update', 'updateMany', 'updateManyAndReturn'] as const),
  ...(['upsert', 'delete', 'deleteMany'] as const),
])
/** What a write of one record can do to the records of a relation, but for those that only link them. */
const NESTED_WRITES: ReadonlySet<string> = new Set([
  ...['create', 'createMany', 'connectOrCreate', 'upsert', 'update', 'updateMany', 'delete', 'deleteMany'],
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
export function planWrite(models: Models, model: string, operation: WriteOperation, args: Args): WritePlan | null {
  for (const data of [args['data'], args['create'], args['update']]) refuseNested(models, model, data)
  const tracked = models.tracked.get(model)
  if (!tracked) return null
  const isUpdate = operation === 'update' || operation === 'updateMany' || operation === 'updateManyAndReturn'
  if (isUpdate || operation === 'upsert') refuseNewKey(tracked, isUpdate ? args['data'] : args['update'], args['where'])
  const fields = isUpdate ? writtenFields(tracked, args['data']) : tracked.fields
  return fields.length > 0 ? { operation, tracked, args, fields } : null
}

/** @param where finds the record; a key that it names already may be written too */
function refuseNewKey({ model, key }: TrackedModel, data: unknown, where: unknown): void {
  const written = isObject(data) ? data : {}
  const known = isObject(where) ? where : {}
  // A key of several fields is one object in the condition.
  const all = Object.assign({}, ...Object.values(known).filter(isObject), known) as Args
  if (key.some(({ field }) => written[field] !== undefined && written[field] !== all[field])) {
    throw notTracked(model, 'The key of a record must not change: delete it and create another one.')
  }
}

function writtenFields({ fields }: TrackedModel, data: unknown): readonly Column[] {
  return isObject(data) ? fields.filter(({ field }) => data[field] !== undefined) : []
}

/** Records that are written within the write of another one do not come back with it. */
function refuseNested(models: Models, model: string, data: unknown): void {
  for (const each of Array.isArray(data) ? data : [data]) {
    for (const [name, value] of isObject(each) ? Object.entries(each) : []) {
      const relation = models.all.get(model)?.fields.find((field) => field.name === name && field.kind === 'object')
      if (!relation || !isObject(value)) continue
      for (const [operation, writes] of Object.entries(value)) {
        if (NESTED_WRITES.has(operation) && writes !== undefined) refuseWithin(models, relation.type, operation, writes)
      }
    }
  }
}

function refuseWithin(models: Models, model: string, operation: string, writes: unknown): void {
  for (const write of Array.isArray(writes) ? writes : [writes]) {
    const parts = isObject(write) ? [write, write['data'], write['create'], write['update']] : []
    const tracked = models.tracked.get(model)
    const isHarmless = operation.startsWith('update') && parts.every((part) => !tracked || writesNothing(tracked, part))
    if (tracked && !isHarmless) {
      throw notTracked(
        model,
        `Write it by an operation of its own, in the same $transaction, instead of a nested ${operation}.`,
      )
    }
    for (const part of parts) refuseNested(models, model, part)
  }
}

function writesNothing(tracked: TrackedModel, data: unknown): boolean {
  refuseNewKey(tracked, isObject(data) && !('where' in data) ? data : undefined, undefined)
  return writtenFields(tracked, data).length === 0
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
