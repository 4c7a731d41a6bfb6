import type { SqlExecutor } from '@quillgate/server/database'
import { findMediaIds } from '../../../../markdown/src/media-urls/media-id.ts'
import { toMedium } from '../../../src/media/ledger/ledger-database.ts'
import type { Medium } from '../../../src/media/ledger/medium.ts'
import { ledgerTables } from '../../../src/media/ledger/schema.ts'
import { withConnection } from './connections.ts'
import { type Transition, transitionsAfter } from './history.ts'
import { ledgerField, readRecords, type StoredRecord } from './records.ts'
import type { Field } from './steps.ts'
import type { World } from './world.ts'

/** The data of the ledger, the records and the storage while no step is running. */
export interface View {
  readonly media: ReadonlyMap<string, Medium>
  /** The references in the ledger, as `media/type/record/field`. */
  readonly references: ReadonlySet<string>
  /** The media in committed texts, as `media/type/record/field`, without missing media. */
  readonly mentions: ReadonlySet<string>
  /** The keys of all objects in the media folders. */
  readonly keys: ReadonlySet<string>
  /** The changes of rows since the last inspection. */
  readonly transitions: readonly Transition[]
  readonly lastTransition: number
}

export async function viewOf(world: World, lastTransition: number): Promise<View> {
  const records = await withConnection(world.application, readRecords)
  return withConnection(world.application, async (tx) => {
    const media = ledgerTables.on(tx, 'quillgate_').selectFrom('media').selectAll()
    const rows = await media.execute()
    const history = await transitionsAfter(tx, lastTransition)
    const keys = new Set<string>()
    for await (const { key } of world.storage.list('md-editor/')) keys.add(key)
    return {
      media: new Map(rows.map((row) => [row.id, toMedium(row)])),
      references: await referencesIn(tx),
      mentions: new Set(records.flatMap((record) => mentionsOf(record, record.missing))),
      keys,
      transitions: history.transitions,
      lastTransition: history.last,
    }
  })
}

export function mediaIn(reference: string): string {
  return reference.slice(0, reference.indexOf('/'))
}

async function referencesIn(tx: SqlExecutor): Promise<Set<string>> {
  const rows = await tx.query(
    'SELECT media_id, record_type, record_id, field FROM quillgate_media_reference',
  )
  return new Set(rows.map((row) => Object.values(row).join('/')))
}

function mentionsOf({ type, id, texts }: StoredRecord, missing: StoredRecord['missing']): string[] {
  return Object.entries(texts).flatMap(([field, text]) =>
    [...findMediaIds(text)]
      .filter((mention) => !missing[field as Field].includes(mention))
      .map((mention) => [mention, type, id, ledgerField(type, field as Field)].join('/')),
  )
}
