import { list, raw, toNumber } from '@quillgate/database'
import { fixedPathPrefix } from '../storage/path-template.ts'
import type { Storage } from '../storage/storage.ts'
import type { DeletionBan, Installation } from './installation.ts'
import { type LedgerDatabase, rowsOf } from './ledger-database.ts'
import { candidatesOf, strayObjects } from './sweep-candidates.ts'

/** Differences between ledger and storage. Each list holds the first 1,000, its count holds all. */
export interface CheckReport {
  /** Why nothing is deleted at present; null when all is well. */
  readonly ban: DeletionBan | null
  /** When `references.rebuild` last ended, in milliseconds; null: never. */
  readonly lastRebuild: number | null
  /** Files that exist by the ledger. */
  readonly files: number
  /** Files whose bytes are missing, or of another length than recorded. */
  readonly damaged: Differences<{ readonly id: string; readonly key: string }>
  /** Objects that no file of the ledger needs; the sweep removes those of the temporary folder. */
  readonly strays: Differences<{ readonly key: string }>
  /** References to files that are gone. */
  readonly dangling: Differences<{
    readonly id: string
    readonly type: string
    readonly record: string
    readonly field: string
  }>
}

/** Things of one kind that were found. */
export interface Differences<Item> {
  readonly count: number
  readonly items: readonly Item[]
}

/** What {@link createCheck} needs. */
export interface CheckDependencies {
  readonly database: LedgerDatabase
  readonly storage: Pick<Storage, 'list' | 'stat' | 'remove'>
  readonly installation: Pick<Installation, 'banOnDeletion' | 'lastRebuild'>
  readonly settings: { readonly tempUploadPath: string; readonly uploadPath: string }
  readonly clock: () => number
}

const MOST_ITEMS = 1000

/** Makes the function that compares ledger and storage and changes nothing. */
export function createCheck(dependencies: CheckDependencies): () => Promise<CheckReport> {
  const { database, storage, installation, settings, clock } = dependencies
  return async () => {
    const damaged = createDifferences<{ id: string; key: string }>()
    let files = 0
    for (const state of ['temporary', 'promoting', 'permanent', 'orphaned'] as const) {
      for await (const { medium } of candidatesOf(database, state, 'created_at', clock())) {
        files++
        const { id, size, tempKey } = medium
        const key = state === 'temporary' || state === 'promoting' ? tempKey : (medium.key ?? tempKey)
        if ((await storage.stat(key))?.size !== size) damaged.add({ id, key })
      }
    }
    const strays = createDifferences<{ key: string }>()
    const { tempUploadPath, uploadPath } = settings
    const temporary = strayObjects(database, storage, tempUploadPath, 'temp_key', [
      'uploading',
      'temporary',
      'promoting',
    ])
    for await (const { key } of temporary) strays.add({ key })
    const permanentStates = ['promoting', 'permanent', 'orphaned', 'deleting'] as const
    const prefix = fixedPathPrefix(uploadPath)
    for await (const { key } of strayObjects(database, storage, prefix, 'permanent_key', permanentStates))
      strays.add({ key })
    return {
      ban: await installation.banOnDeletion(),
      lastRebuild: await installation.lastRebuild(),
      files,
      damaged: damaged.found,
      strays: strays.found,
      dangling: await danglingReferences(database),
    }
  }
}

function createDifferences<Item>(): { add(item: Item): void; readonly found: Differences<Item> } {
  const found = { count: 0, items: [] as Item[] }
  return {
    found,
    add(item) {
      found.count++
      if (found.items.length < MOST_ITEMS) found.items.push(item)
    },
  }
}

async function danglingReferences({ executor, sql, tables }: LedgerDatabase): Promise<CheckReport['dangling']> {
  const gone = list(['uploading', 'deleting', 'deleted'])
  const from = (columns: string, tail: string): Promise<Record<string, unknown>[]> =>
    rowsOf(
      executor,
      sql`SELECT ${raw(columns)} FROM ${tables.reference} r LEFT JOIN ${tables.media} m ON m.id = r.media_id
        WHERE m.id IS NULL OR m.state IN (${gone}) ${raw(tail)}`,
    )
  const [row] = await from('COUNT(*) AS found', '')
  const items = await from('r.*', `ORDER BY r.media_id, r.record_type, r.record_id, r.field LIMIT ${MOST_ITEMS}`)
  return {
    count: toNumber(row?.['found']),
    items: items.map((item) => ({
      id: String(item['media_id']),
      type: String(item['record_type']),
      record: String(item['record_id']),
      field: String(item['field']),
    })),
  }
}
