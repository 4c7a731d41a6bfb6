import type { QuillgateError } from '@quillgate/server/core'
import type { Dialect } from '@quillgate/server/database'
import type { TrackedTransaction } from '../../media/references/track-references.ts'
import { notTracked } from '../errors.ts'
import { type Args, type Delegate, delegateOf, type OpenClient, type Row } from './client.ts'
import { type Column, keyOf, type TrackedModel } from './models.ts'
import { relatedRows, selectRelated } from './nested.ts'
import type { OwnTexts, WriteOperation, WritePlan } from './plan.ts'
import { createTextReader } from './texts.ts'

/** An open transaction. */
export interface PrismaScope {
  readonly tx: OpenClient
  readonly saves: TrackedTransaction
}

/** Does a write in a transaction, and tells what was written. @returns what Prisma gives for it */
export type FollowWrite = (scope: PrismaScope, plan: WritePlan) => Promise<unknown>

interface Count {
  readonly count: number
}

/** Records written at once where they are named by their keys. */
const PAGE = 500

/**
 * Makes it. Prisma does not tell which records a bulk write takes, so they are found first, and the write is held to
 * them: what nobody saw is not written.
 */
export function createWriteFollower(dialect: Dialect, schema: string | null): FollowWrite {
  const readTexts = createTextReader(dialect, schema)

  /** Tells what a record is now. */
  const tell = async (
    { tx, saves }: PrismaScope,
    { tracked, fields }: OwnTexts,
    row: Row,
    mustBe = false,
  ) => {
    const key = keyOf(tracked, row)
    const texts = await readTexts(tx, tracked, row, fields)
    // An extension may have made an update of a delete: then the record is there, with its texts.
    if (texts) return saves.save(key, texts)
    if (mustBe) throw notFound(tracked)
    await saves.remove(key)
  }

  const tellWritten = async (
    scope: PrismaScope,
    { operation, own }: WritePlan,
    row: Row,
  ): Promise<void> => {
    if (own) await tell(scope, own, row, MUST_LEAVE.has(operation))
  }

  /** Records of relations: what was there before and what is there afterwards is all that can have been written. */
  const tellRelated = async (
    scope: PrismaScope,
    { relations }: WritePlan,
    rows: readonly (Row | null)[],
  ) => {
    const told = new Set<string>()
    for (const [tracked, row] of rows.flatMap((each) => [...relatedRows(relations, each)])) {
      const { type, id } = keyOf(tracked, row)
      if (told.has(`${type} ${id}`)) continue
      told.add(`${type} ${id}`)
      await tell(scope, { tracked, fields: tracked.fields }, row)
    }
  }

  const one = async (scope: PrismaScope, plan: WritePlan): Promise<unknown> => {
    const { operation, relations } = plan
    const own = delegate(scope, plan)
    const select = selectRelated(relations)
    const { where } = plan.args
    const before = relations.size > 0 && where ? await own['findUnique']?.({ where, select }) : null
    const [args, restore] = withKey(plan.key, plan.args)
    const row = (await own[operation]?.(args)) as Row
    await tellWritten(scope, plan, row)
    if (relations.size > 0) {
      if (plan.key.some(({ field }) => row[field] === undefined)) throw withoutKey(plan)
      const after = await own['findFirst']?.({ where: anyOf(plan.key, [row]), select })
      await tellRelated(scope, plan, [before as Row | null, after as Row | null])
    }
    return restore(row)
  }

  const found = async (scope: PrismaScope, plan: WritePlan): Promise<unknown[]> => {
    const { where = {}, limit, ...args } = plan.args
    const take = limit === undefined ? {} : { take: limit }
    const rows = (await delegate(scope, plan)['findMany']?.({
      where,
      select: selectKey(plan.key),
      ...take,
    })) as Row[]
    const results: unknown[] = []
    for (let start = 0; start === 0 || start < rows.length; start += PAGE) {
      const page = rows.slice(start, start + PAGE)
      const [own, restore] =
        plan.operation === 'updateManyAndReturn' ? withKey(plan.key, args) : [args, same]
      const held = { AND: [where, anyOf(plan.key, page)] }
      const result = await delegate(scope, plan)[plan.operation]?.({ ...own, where: held })
      results.push(Array.isArray(result) ? result.map(restore) : result)
      for (const row of page) await tellWritten(scope, plan, row)
    }
    return results
  }

  const counted = async (scope: PrismaScope, plan: WritePlan): Promise<Count> => ({
    count: ((await found(scope, plan)) as Count[]).reduce((sum, { count }) => sum + count, 0),
  })

  const created = async (scope: PrismaScope, plan: WritePlan, args: Args): Promise<Row[]> => {
    const rows = (await delegate(scope, plan)['createManyAndReturn']?.(args)) as Row[]
    for (const row of rows) await tellWritten(scope, plan, row)
    return rows
  }

  /** MariaDB does not return what it inserted. */
  const createdOneByOne = async (scope: PrismaScope, plan: WritePlan): Promise<Count> => {
    const { data, skipDuplicates } = plan.args
    const rows = ([] as unknown[]).concat(data ?? []) as Row[]
    if (skipDuplicates) {
      if (!rows.every((row) => plan.key.every(({ field }) => row[field] !== undefined))) {
        throw notTracked(
          plan.model,
          'Give skipDuplicates records with their keys, or create them one by one.',
        )
      }
      const result = (await delegate(scope, plan)['createMany']?.(plan.args)) as Count
      for (const row of rows) await tellWritten(scope, plan, row)
      return result
    }
    for (const row of rows) await one(scope, { ...plan, operation: 'create', args: { data: row } })
    return { count: rows.length }
  }

  const followers: Readonly<Record<WriteOperation, FollowWrite>> = {
    create: one,
    update: one,
    upsert: one,
    delete: one,
    updateMany: counted,
    deleteMany: counted,
    updateManyAndReturn: async (scope, plan) => (await found(scope, plan)).flat(),
    async createMany(scope, plan) {
      if (dialect === 'mariadb') return createdOneByOne(scope, plan)
      return {
        count: (await created(scope, plan, { ...plan.args, select: selectKey(plan.key) })).length,
      }
    },
    async createManyAndReturn(scope, plan) {
      const [args, restore] = withKey(plan.key, plan.args)
      return (await created(scope, plan, args)).map(restore)
    },
  }
  return (scope, plan) => followers[plan.operation](scope, plan)
}

/** Operations after which there is a record. */
const MUST_LEAVE: ReadonlySet<WriteOperation> = new Set([
  'create',
  'createManyAndReturn',
  'update',
  'upsert',
])

function notFound({ model, table }: TrackedModel): QuillgateError {
  return notTracked(
    model,
    `Its record is not in the table ${table} of the schema in which it is looked for.`,
  )
}

function withoutKey({ model, key }: WritePlan): QuillgateError {
  return notTracked(model, `Do not omit ${key.map(({ field }) => field).join(', ')}.`)
}

function delegate({ tx }: PrismaScope, { model }: WritePlan): Delegate {
  return delegateOf(tx, model)
}

function selectKey(key: readonly Column[]): Args {
  return Object.fromEntries(key.map(({ field }) => [field, true]))
}

/** The condition that finds the records with these keys. */
function anyOf(key: readonly Column[], rows: readonly Row[]): Args {
  const [first, ...others] = key
  if (first && others.length === 0)
    return { [first.field]: { in: rows.map((row) => row[first.field]) } }
  return { OR: rows.map((row) => Object.fromEntries(key.map(({ field }) => [field, row[field]]))) }
}

type Restore = (row: Row) => Row
const same: Restore = (row) => row

/** Asks for the key too, and takes away from the result what was not asked for. */
function withKey(key: readonly Column[], args: Args): [Args, Restore] {
  const select = args['select'] as Args | null | undefined
  const omit = args['omit'] as Args | null | undefined
  const hidden = key
    .map(({ field }) => field)
    .filter((field) => (select ? !select[field] : omit?.[field]))
  if (hidden.length === 0) return [args, same]
  const shown = select
    ? { select: { ...select, ...selectKey(key) } }
    : { omit: { ...omit, ...Object.fromEntries(hidden.map((field) => [field, false])) } }
  const restore: Restore = (row) => {
    const own: Record<string, unknown> = { ...row }
    for (const field of hidden) delete own[field]
    return own
  }
  return [{ ...args, ...shown }, restore]
}
