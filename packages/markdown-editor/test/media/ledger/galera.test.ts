import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@quillgate/server/database'
import { describeGalera } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createLedgerDatabase,
  type LedgerDatabase,
} from '../../../src/media/ledger/ledger-database.ts'
import { MediaLedger } from '../../../src/media/ledger/media-ledger.ts'
import { addReference } from '../../../src/media/ledger/reference-protection.ts'
import { type LedgerFixture, mediaId, openLedger, PREFIX, T0 } from '../ledger-fixture.ts'

const FILES = 150
const PLACE = { type: 'post', id: '1', field: 'body' }

describeGalera(({ engine, urlsOf }) => {
  let fixture: LedgerFixture
  let nodes: { readonly database: LedgerDatabase; readonly ledger: MediaLedger }[]
  const closing: (() => Promise<unknown>)[] = []

  beforeEach(async () => {
    let url = ''
    fixture = await openLedger({
      ...engine,
      async open<Tables>() {
        const opened = await engine.open<Tables>()
        url = opened.url
        return opened
      },
    })
    nodes = urlsOf(url).map((each) => {
      const opened = openDatabase(each)
      closing.push(opened.close)
      const database = createLedgerDatabase(opened, PREFIX)
      return { database, ledger: new MediaLedger(database) }
    })
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
    await fixture.close()
  })

  const nodeAt = (index: number) => nodes[index % nodes.length] as (typeof nodes)[number]
  const save = ({ database }: { database: LedgerDatabase }, id: string, role: 'owner' | null) =>
    database.transaction((tx) => addReference(tx, id, PLACE, T0, role))
  const drop = ({ database: { db } }: { database: LedgerDatabase }) =>
    db.deleteFrom('mediaReference').execute()

  describe('the ledger on a Galera cluster', () => {
    for (const role of ['owner', null] as const) {
      it(`a save (${role ?? 'another user'}) and a deletion on two nodes detect each other`, async () => {
        const ids = Array.from({ length: FILES }, (_, index) => mediaId(index))
        for (const id of ids) {
          await fixture.addFile(id, 'permanent')
          await save(nodeAt(0), id, 'owner') // The save below then changes only `writes`.
        }
        await drop(nodeAt(0))
        const outcomes = await Promise.all(
          ids.map(async (id, index) => {
            const transition = {
              from: ['permanent'],
              to: 'deleting',
              reason: 'orphaned',
              actor: null,
              at: T0,
            } as const
            const [saved, isDeleted] = await Promise.all([
              sleep(Math.random() * 5).then(() => save(nodeAt(index), id, role)),
              sleep(Math.random() * 5).then(() =>
                nodeAt(index + 1).ledger.transition(id, transition),
              ),
            ])
            return `${saved}, ${isDeleted ? 'deleted' : 'kept'}`
          }),
        )
        expect(
          outcomes.filter((each) => each !== 'added, kept' && each !== 'missing, deleted'),
        ).toEqual([])
      }, 60_000)
    }

    it('uploads of one owner on all nodes respect the quota exactly', async () => {
      const [size, capacity, uploads] = [10, 4, 12]
      for (let round = 0; round < 10; round++) {
        const owner = `user:${round}`
        const ids = Array.from({ length: uploads }, (_, index) => mediaId(round * uploads + index))
        for (const id of ids) await fixture.addFile(id, 'uploading', owner)
        const facts = {
          name: 'a.png',
          type: 'image/png',
          size,
          checksum: 'c0ffee',
          width: 4,
          height: 5,
        }
        const completions = await Promise.all(
          ids.map((id, index) => nodeAt(index).ledger.complete(id, facts, T0, capacity * size)),
        )
        expect(completions.filter((each) => each === 'completed')).toHaveLength(capacity)
        expect(completions.filter((each) => each === 'exceeded')).toHaveLength(uploads - capacity)
        expect(await nodeAt(1).ledger.usage(owner)).toBe(capacity * size)
      }
    }, 60_000)
  })
})
