import { type Database, openDatabase } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import {
  createLedgerDatabase,
  type LedgerDatabase,
} from '../../src/media/ledger/ledger-database.ts'
import { MediaLedger } from '../../src/media/ledger/media-ledger.ts'
import type { MediaState } from '../../src/media/ledger/medium.ts'
import { mediaMigrations } from '../../src/media/ledger/schema.ts'

export const PREFIX = 'quillgate_'
export const T0: number = Date.UTC(2026, 2, 15, 12)

export interface LedgerFixture {
  readonly database: Database
  readonly ledgerDatabase: LedgerDatabase
  readonly ledger: MediaLedger
  /** The application's connections to the database of the ledger. */
  readonly other: Database
  /** Adds a file, and advances it to a state with the methods of the ledger. */
  addFile(id: string, state: MediaState, owner?: string): Promise<void>
  /** The file must be in the state `uploading`. */
  advance(id: string, state: MediaState): Promise<void>
  close(): Promise<void>
}

export const mediaId = (n: number): string => `m${String(n).padStart(26, '0')}`

export async function openLedger(engine: TestEngine): Promise<LedgerFixture> {
  const opened = await engine.openMigrated([mediaMigrations])
  const { database } = opened
  const ledgerDatabase = createLedgerDatabase(database, PREFIX)
  const ledger = new MediaLedger(ledgerDatabase)
  const other = openDatabase(opened.url, { poolSize: 4 })
  return {
    database,
    ledgerDatabase,
    ledger,
    other,
    async addFile(id, state, owner = 'user:1') {
      await ledger.begin({
        id,
        owner,
        name: 'a.png',
        type: 'image/png',
        tempKey: `tmp/${id}-a.png`,
        createdAt: T0,
      })
      await advance(ledger, id, state)
    },
    advance: (id, state) => advance(ledger, id, state),
    async close() {
      await other.close()
      await opened.close()
    },
  }
}

async function advance(ledger: MediaLedger, id: string, state: MediaState): Promise<void> {
  if (state === 'uploading') return
  const facts = {
    name: 'a.png',
    type: 'image/png',
    size: 3,
    checksum: 'c0ffee',
    width: 4,
    height: 5,
  }
  await ledger.complete(id, facts, T0)
  if (state === 'temporary') return
  await ledger.beginPromotion(id, `uploads/${id}-a.png`, T0 + 1)
  if (state === 'promoting') return
  await ledger.completePromotion(id, T0 + 2)
  if (state === 'permanent') return
  const reason = { reason: 'orphaned', actor: 'user:1', at: T0 + 3 } as const
  await ledger.transition(id, {
    from: ['permanent'],
    to: state === 'orphaned' ? 'orphaned' : 'deleting',
    ...reason,
  })
  if (state === 'deleted') await ledger.completeDeletion(id, T0 + 4)
}
