import { migrate, openDatabase } from '@quillgate/server/database'
import { createLedgerDatabase } from '../../../src/media/ledger/ledger-database.ts'
import { createMediaLedger, type MediaLedger } from '../../../src/media/ledger/media-ledger.ts'
import { mediaMigrations } from '../../../src/media/ledger/schema.ts'

/** The real ledger on an SQLite database in memory. */
export async function openLedger(): Promise<{ ledger: MediaLedger; close: () => Promise<void> }> {
  const database = openDatabase('sqlite::memory:')
  await migrate(database, mediaMigrations)
  const ledger = createMediaLedger(createLedgerDatabase(database, 'quillgate_'))
  return { ledger, close: () => database.close() }
}
