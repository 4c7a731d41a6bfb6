import { describeDatabases } from '@quillgate/database/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { affectedBy } from '../../src/media/ledger-database.ts'
import { candidatesOf } from '../../src/media/sweep-candidates.ts'
import { type LedgerFixture, mediaId, openLedger, T0 } from './ledger-fixture.ts'

describe('candidatesOf', () => {
  describeDatabases((engine) => {
    let fixture: LedgerFixture
    beforeEach(async () => {
      fixture = await openLedger(engine)
    })
    afterEach(() => fixture.close())

    const read = async (
      ...args: [time: 'created_at' | 'finalized_at' | 'referenced_at', until: number, page: number]
    ) => {
      const found: [string, boolean][] = []
      const [time, until, page] = args
      const state = time === 'created_at' ? 'temporary' : 'permanent'
      for await (const { medium, isReferenced } of candidatesOf(fixture.ledgerDatabase, state, time, until, page)) {
        found.push([medium.id, isReferenced])
      }
      return found
    }

    it.each([1, 2, 3, 7, 8])(
      'reads every row once, by pages of %i, also where many have the same time',
      async (page) => {
        const ids = Array.from({ length: 7 }, (_, n) => mediaId(n))
        for (const id of ids) await fixture.addFile(id, 'temporary')
        await fixture.addFile(mediaId(8), 'permanent')
        expect(await read('created_at', T0, page)).toEqual(ids.map((id) => [id, false]))
        expect(await read('created_at', T0 - 1, page)).toEqual([])
      },
    )

    it('tells which files records reference, and which never were', async () => {
      const { executor, sql, tables } = fixture.ledgerDatabase
      for (const n of [1, 2, 3]) await fixture.addFile(mediaId(n), 'permanent')
      await affectedBy(executor, sql`UPDATE ${tables.media} SET referenced_at = ${T0} WHERE id <> ${mediaId(3)}`)
      await affectedBy(executor, sql`INSERT INTO ${tables.reference} VALUES (${mediaId(2)}, 'post', '1', 'body')`)
      expect(await read('referenced_at', T0, 2)).toEqual([
        [mediaId(1), false],
        [mediaId(2), true],
      ])
      expect(await read('finalized_at', T0 + 9, 2)).toEqual([[mediaId(3), false]])
    })
  })
})
