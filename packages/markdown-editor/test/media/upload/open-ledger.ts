import { migrate, openDatabase } from '@quillgate/server/database'
import { createLedgerDatabase } from '../../../src/media/ledger/ledger-database.ts'
import { MediaLedger } from '../../../src/media/ledger/media-ledger.ts'
import { mediaMigrations } from '../../../src/media/ledger/schema.ts'

export async function openLedger(): Promise<{ ledger: MediaLedger; close: () => Promise<void> }> {
  const database = openDatabase('sqlite::memory:')
  await migrate(database, mediaMigrations)
  const ledger = new MediaLedger(createLedgerDatabase(database, 'quillgate_'))
  return { ledger, close: () => database.close() }
}

export function withMethods(ledger: MediaLedger, methods: Partial<MediaLedger>): MediaLedger {
  return new Proxy(ledger, {
    get(target, name) {
      const owner = name in methods ? methods : target
      const value: unknown = Reflect.get(owner, name)
      return typeof value === 'function' ? value.bind(owner) : value
    },
  })
}
