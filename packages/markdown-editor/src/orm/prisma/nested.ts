import { notTracked } from '../errors.ts'
import type { Args, Row } from './client.ts'
import type { Models, TrackedModel } from './models.ts'

/** Relations of a model through which a write of one record writes records of tracked models, by their names. */
export type Relations = ReadonlyMap<string, Relation>

/** One of them. */
export interface Relation {
  /** The tracked model whose records are written; null: only those further on are. */
  readonly tracked: TrackedModel | null
  readonly relations: Relations
}

type Fields = Readonly<Record<string, unknown>>

/** What the write of a record can do to the records of a relation, but for those that only link them. */
const WRITES: ReadonlySet<string> = new Set([
  ...[
    'create',
    'createMany',
    'connectOrCreate',
    'upsert',
    'update',
    'updateMany',
    'delete',
    'deleteMany',
  ],
])
const UNLINKS = ['set', 'disconnect'] as const

/**
 * Finds the relations through which data writes records of tracked models.
 *
 * @throws QuillgateError `expression_not_tracked` (500) where such records would be written and unlinked at once, and
 * for a change of their key
 */
export function findRelations(models: Models, model: string, data: unknown): Relations {
  const found = new Map<string, Relation>()
  for (const each of listOf(data)) {
    for (const [name, value] of Object.entries(isObject(each) ? each : {})) {
      const field = models.all.get(model)?.fields.find((candidate) => candidate.name === name)
      if (field?.kind !== 'object' || !isObject(value)) continue
      const relation = readRelation(models, field.type, value)
      if (relation.tracked || relation.relations.size > 0)
        found.set(name, merge(found.get(name), relation))
    }
  }
  return found
}

/** Both together: of an upsert, what it creates and what it updates. */
export function mergeRelations(a: Relations, b: Relations): Relations {
  const merged = new Map(a)
  for (const [name, relation] of b) merged.set(name, merge(merged.get(name), relation))
  return merged
}

function merge(a: Relation | undefined, b: Relation): Relation {
  if (!a) return b
  return { tracked: a.tracked ?? b.tracked, relations: mergeRelations(a.relations, b.relations) }
}

function readRelation(models: Models, model: string, writes: Fields): Relation {
  const tracked = models.tracked.get(model) ?? null
  const own = Object.entries(writes).filter(
    ([operation, write]) => WRITES.has(operation) && write !== undefined,
  )
  let relations: Relations = new Map()
  for (const [operation, write] of own) {
    for (const each of listOf(write)) {
      if (tracked) refuseKeyIn(tracked, updateOf(operation, each))
      for (const part of partsOf(operation, each)) {
        relations = mergeRelations(relations, findRelations(models, model, part))
      }
    }
  }
  const isWritten = own.length > 0 && (tracked !== null || relations.size > 0)
  if (isWritten && UNLINKS.some((operation) => writes[operation] !== undefined)) {
    throw notTracked(model, 'Write its records in one operation, and unlink them in another one.')
  }
  return { tracked: own.length > 0 ? tracked : null, relations }
}

/** The data of a nested write. */
function partsOf(operation: string, write: unknown): unknown[] {
  if (!isObject(write)) return []
  if (operation === 'create') return [write]
  if (operation === 'createMany') return listOf(write['data'])
  return [write['create'], updateOf(operation, write)].filter(isObject)
}

/** What a nested write does to a record that is there already. */
function updateOf(operation: string, write: unknown): unknown {
  if (!isObject(write)) return undefined
  if (operation === 'upsert') return write['update']
  return operation === 'update' || operation === 'updateMany' ? (write['data'] ?? write) : undefined
}

function refuseKeyIn({ model, key }: TrackedModel, update: unknown): void {
  if (!isObject(update) || key.every(({ field }) => update[field] === undefined)) return
  throw notTracked(
    model,
    'The key of a record must not be written here: update it by an operation of its own.',
  )
}

/** What to select of a record, to find the tracked records of its relations. */
export function selectRelated(relations: Relations): Args {
  return Object.fromEntries(
    [...relations].map(([name, { tracked, relations: further }]) => {
      const key = Object.fromEntries((tracked?.key ?? []).map(({ field }) => [field, true]))
      return [name, { select: { ...key, ...selectRelated(further) } }]
    }),
  )
}

/** The tracked records in what {@link selectRelated} gave. */
export function* relatedRows(
  relations: Relations,
  row: Row | null,
): Generator<[TrackedModel, Row]> {
  for (const [name, { tracked, relations: further }] of relations) {
    for (const related of listOf(row?.[name]).filter(isObject)) {
      if (tracked) yield [tracked, related]
      yield* relatedRows(further, related)
    }
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
