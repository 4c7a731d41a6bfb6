import { findMediaIds } from '../../../../markdown/src/media-urls/media-id.ts'
import { withConnection } from './connections.ts'
import type { KnownFile } from './facts.ts'
import type { Person } from './people.ts'
import {
  type AppRecordKey,
  deleteRecord,
  readRecords,
  recordKey,
  writeMissing,
  writeRecord,
} from './records.ts'
import { type Change, type Field, OWNER, type Step } from './steps.ts'
import { type Transaction, transact } from './transactions.ts'
import type { World } from './world.ts'

type Node = World['nodes'][number]
type StepOf<Name extends Step['do']> = Extract<Step, { do: Name }>

/** Returns the files with the given numbers among the eight newest, so that steps share files. */
export function chosen(world: World, numbers: readonly number[]): KnownFile[] {
  const young = world.facts.files.slice(-8).reverse()
  return [...new Set(numbers)].flatMap((number) => young[number] ?? [])
}

/** @param files numbers of files. `OWNER` stands for the owner of the first file */
export function personOf(
  world: World,
  who: number | null,
  files: readonly number[] = [],
): Person | null {
  if (who === null) return null
  return world.people[who === OWNER ? (chosen(world, files)[0]?.by ?? 0) : who] ?? null
}

/** Creates a text with up to three files: as an image, as a link, and as an id in code. */
export function textOf(files: readonly KnownFile[]): string {
  return files
    .map(({ id, permanentUrl, tempUrl }, index) => {
      const url = permanentUrl ?? tempUrl
      return [`![a](${url})`, `[b](${url})`, `\`${id}\``][index]
    })
    .join('\n')
}

export function save(world: World, node: Node, step: StepOf<'save'>): Promise<void> {
  const { isolation, end } = step
  const who = personOf(world, step.who, step.changes[0]?.files)
  return transact(
    world,
    { who, isolation, end, references: node.references },
    async (transaction) => {
      for (const change of step.changes) {
        const apply = () => applyChange(world, transaction, who, change)
        if (change.savepoint === 'none') await apply()
        else await transaction.nested(change.savepoint === 'kept', apply)
      }
    },
  )
}

async function applyChange(
  world: World,
  transaction: Transaction,
  who: Person | null,
  change: Change,
): Promise<void> {
  const key = recordKey(change.record)
  // In REPEATABLE READ, the first read creates the snapshot.
  const [before] = await readRecords(transaction.tx, key)
  if (change.write === 'delete') {
    if (await deleteRecord(transaction.tx, key)) await transaction.set(key, [])
    return
  }
  const text = textOf(chosen(world, change.files))
  if (key.type !== 'post') return write(transaction, key, { body: text }, who)
  // With `both`, the references of the body move to the summary.
  const texts =
    change.write === 'both'
      ? { body: text, summary: before?.texts.body ?? '' }
      : { [change.field]: text }
  await write(transaction, key, texts, who)
}

/** Saves a record with a file, then without it, so that the file is restored and orphaned. */
export async function flip(world: World, node: Node, step: StepOf<'flip'>): Promise<void> {
  const who = personOf(world, step.who, [step.file])
  for (const files of [[step.file], []]) {
    const body = textOf(chosen(world, files))
    await transact(
      world,
      { who, isolation: 'default', end: 'commit', references: node.references },
      (transaction) => write(transaction, recordKey(step.record), { body }, who),
    )
  }
}

async function write(
  transaction: Transaction,
  key: AppRecordKey,
  texts: Partial<Record<Field, string>>,
  who: Person | null,
): Promise<void> {
  await writeRecord(transaction.tx, key, texts, who?.owner ?? '')
  await transaction.set(key, key.type === 'post' ? texts : (texts.body ?? ''))
  await writeMissing(transaction.tx, key, texts, transaction.missing())
}

/** Immediately deletes the files that a post's field no longer needs, before or after its save. */
export async function deleteOrphanedMedia(
  world: World,
  node: Node,
  step: StepOf<'deleteOrphanedMedia'>,
): Promise<void> {
  const key = recordKey(step.record)
  const { field, order } = step
  const who = personOf(world, step.who, step.files)
  const actor = who?.identity ?? { label: 'editorial job' }
  const [before] = await withConnection(world.application, (tx) => readRecords(tx, key))
  const [oldText, newText] = [before?.texts[field] ?? '', textOf(chosen(world, step.files))]
  const kept = findMediaIds(newText)
  for (const id of findMediaIds(oldText))
    if (!kept.has(id)) world.facts.immediatelyDeletable.add(id)
  const saveNow = (): Promise<void> =>
    transact(
      world,
      { who, isolation: 'default', end: 'commit', references: node.references },
      (transaction) => write(transaction, key, { [field]: newText }, who),
    )
  if (order === 'before the save') {
    await node.deleteOrphanedMedia(oldText, newText, { actor, record: { ...key, field } })
    return saveNow()
  }
  await saveNow()
  await node.deleteOrphanedMedia(oldText, newText, { actor })
}

const drafts = new WeakMap<World, Promise<unknown>>()

/** Saves a draft, whose references have a separate transaction. Such saves run sequentially. */
export async function saveDraft(world: World, node: Node, step: StepOf<'draft'>): Promise<void> {
  const who = personOf(world, step.who, step.files)
  const actor = who?.identity ?? { label: 'editorial job' }
  const saved = (drafts.get(world) ?? Promise.resolve()).then(async () => {
    const key = { type: 'draft', id: String(step.record) } as const
    const body = textOf(chosen(world, step.files))
    const { missing } = await node.references.set(key, body, { actor })
    for (const id of missing) world.facts.missing.add(id)
    await withConnection(world.application, async (tx) => {
      await writeRecord(tx, key, { body }, who?.owner ?? '')
      await writeMissing(tx, key, { body }, missing)
    })
  })
  drafts.set(
    world,
    saved.catch(() => {}),
  )
  await saved
}
