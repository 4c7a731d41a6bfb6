import { migrate, openDatabase } from '@quillgate/server/database'
import {
  createLedgerDatabase,
  type LedgerDatabase,
} from '../../../src/media/ledger/ledger-database.ts'
import { MediaLedger } from '../../../src/media/ledger/media-ledger.ts'
import { mediaMigrations } from '../../../src/media/ledger/schema.ts'

export interface OpenLedger {
  readonly database: LedgerDatabase
  readonly ledger: MediaLedger
  readonly close: () => Promise<void>
}

export async function openLedger(): Promise<OpenLedger> {
  const connection = openDatabase('sqlite::memory:')
  await migrate(connection, mediaMigrations)
  const database = createLedgerDatabase(connection, 'quillgate_')
  return { database, ledger: new MediaLedger(database), close: () => connection.close() }
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
