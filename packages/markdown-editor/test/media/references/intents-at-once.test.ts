import { setTimeout as sleep } from 'node:timers/promises'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { describe, expect, it } from 'vitest'
import type { LedgerDatabase } from '../../../src/media/ledger/ledger-database.ts'
import { createIntents, type Intents } from '../../../src/media/references/intents.ts'
import { type LedgerFixture, mediaId, openLedger, T0 } from '../ledger-fixture.ts'

const record = { type: 'post', id: '1' }
const file = mediaId(1)
const logger = { warn: () => {}, error: (message: string) => expect.unreachable(message) }

/** Saves of one record that are announced by several processes; `text` is what is committed. */
function openIntents(database: LedgerDatabase, text: () => string): Intents {
  return createIntents({ database, load: () => text(), clock: () => T0, logger })
}

/** A process that stands still before each of its commits, until it may go on. */
function slow(database: LedgerDatabase): {
  database: LedgerDatabase
  stands: Promise<void>
  goOn: () => void
} {
  const [stands, goes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const transaction: LedgerDatabase['transaction'] = (work) =>
    database.transaction(async (tx) => {
      const result = await work(tx)
      stands.resolve()
      await goes.promise
      return result
    })
  return { database: { ...database, transaction }, stands: stands.promise, goOn: goes.resolve }
}

/** Waits for what may have to wait for the other process. */
function soon(done: Promise<unknown>): Promise<unknown> {
  return Promise.race([done, sleep(300)])
}

async function referencesOf({ database }: LedgerFixture): Promise<unknown[]> {
  const executor = database.executor(database.kysely)
  return executor.query('SELECT media_id, record_id FROM quillgate_media_reference', [])
}

describe('saves in another database that are announced at once', () => {
  describeDatabases((engine) => {
    // SQLite lets one transaction write after the other.
    it.skipIf(engine.name === 'sqlite')(
      'keep what one of them needs when the other ends',
      async () => {
        const ledger = await openLedger(engine)
        try {
          let text = file
          await ledger.addFile(file, 'permanent')
          const quick = openIntents(ledger.ledgerDatabase, () => text)
          await (await quick.open(record, file, null)).confirm()
          expect(await referencesOf(ledger)).toEqual([{ media_id: file, record_id: '1' }])

          // One save takes the file away. Neither announcement sees the other.
          const [takes, needs] = [slow(ledger.ledgerDatabase), slow(ledger.ledgerDatabase)]
          const taking = openIntents(takes.database, () => text).open(record, '', null)
          await takes.stands
          const needing = openIntents(needs.database, () => text).open(record, file, null)
          await soon(needs.stands)
          takes.goOn()
          const taken = await taking
          text = ''
          const confirming = taken.confirm()
          await soon(confirming)
          needs.goOn()
          expect(await needing).toMatchObject({ missing: [] })
          await confirming

          text = file // It is committed, and its process dies: nobody confirms.
          expect(await referencesOf(ledger)).toEqual([{ media_id: file, record_id: '1' }])
        } finally {
          await ledger.close()
        }
      },
    )
  })
})
