import type { SqlExecutor } from '@quillgate/server/database'
import { sqliteEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CandidateQuery, candidatesOf } from '../../../src/media/ledger/candidates.ts'
import type { LedgerDatabase } from '../../../src/media/ledger/ledger-database.ts'
import { strayObjects } from '../../../src/media/ledger/stored-objects.ts'
import { type LedgerFixture, mediaId, openLedger, T0 } from '../ledger-fixture.ts'

describe('candidatesOf', () => {
  describeDatabases((engine) => {
    let fixture: LedgerFixture
    beforeEach(async () => {
      fixture = await openLedger(engine)
    })
    afterEach(() => fixture.close())

    const read = async (candidates: CandidateQuery): Promise<string[]> => {
      const found: string[] = []
      for await (const { id } of candidatesOf(fixture.ledgerDatabase, candidates)) found.push(id)
      return found
    }

    it.each([1, 2, 3, 7, 8])(
      'reads every row once, in pages of %i, even if many have the same time',
      async (pageSize) => {
        const ids = Array.from({ length: 7 }, (_, n) => mediaId(n))
        for (const id of ids) await fixture.addFile(id, 'temporary')
        await fixture.addFile(mediaId(8), 'permanent')
        const temporary = { state: 'temporary', time: 'createdAt', pageSize } as const
        expect(await read({ ...temporary, until: T0 })).toEqual(ids)
        expect(await read({ ...temporary, until: T0 - 1 })).toEqual([])
      },
    )

    it('distinguishes files that records reference from never-referenced ones', async () => {
      const { db } = fixture.ledgerDatabase
      for (const n of [1, 2, 3]) await fixture.addFile(mediaId(n), 'permanent')
      const saved = db.updateTable('media').set({ referencedAt: T0 })
      await saved.where('id', '<>', mediaId(3)).execute()
      const place = { recordType: 'post', recordId: '1', field: 'body', byOwner: true }
      await db
        .insertInto('mediaReference')
        .values({ mediaId: mediaId(2), ...place })
        .execute()
      const permanent = { state: 'permanent', until: T0 + 9, pageSize: 2 } as const
      const [first, second] = [mediaId(1), mediaId(2)]
      expect(await read({ ...permanent, time: 'createdAt' })).toEqual([first, second, mediaId(3)])
      expect(await read({ ...permanent, time: 'createdAt', unreferenced: true })).toEqual([
        first,
        mediaId(3),
      ])
      expect(await read({ ...permanent, time: 'finalizedAt' })).toEqual([mediaId(3)])
    })
  })
})

describe('the statements of a large sweep', () => {
  it('use a covering index or the id', async () => {
    const fixture = await openLedger(sqliteEngine())
    try {
      const executor = fixture.database.executor(fixture.database.kysely)
      const plans: string[] = []
      const query: SqlExecutor['query'] = async (sql, params) => {
        const steps = await executor.query(`EXPLAIN QUERY PLAN ${sql}`, params)
        plans.push(steps.map(({ detail }) => String(detail)).join('; '))
        return executor.query(sql, params)
      }
      const database: LedgerDatabase = {
        ...fixture.ledgerDatabase,
        ...fixture.ledgerDatabase.on({ ...executor, query }),
      }
      const until = T0 + 9
      await fixture.addFile(mediaId(1), 'permanent')
      for (const [state, time] of [
        ['permanent', 'createdAt'],
        ['promoting', 'changedAt'],
        ['deleting', 'changedAt'],
        ['deleted', 'changedAt'],
        ['permanent', 'finalizedAt'],
        ['orphaned', 'orphanedAt'],
      ] as const) {
        await readAll(candidatesOf(database, { state, time, until, unreferenced: true }))
      }
      const storage = {
        list: async function* () {
          yield { key: `tmp/${mediaId(2)}-a.png`, size: 3, modifiedAt: T0 }
        },
      }
      await readAll(strayObjects(database, storage, 'tmp/'))
      const pages = plans.filter((plan) => plan.includes('_by_'))
      expect(pages).toHaveLength(6)
      for (const plan of pages)
        expect(plan).toMatch(/^SEARCH \S+ USING COVERING INDEX .*\((?:\w+),id\)>\(\?,\?\)/)
      for (const plan of plans) expect(plan).not.toMatch(/SCAN|TEMP B-TREE/)
      expect(plans.at(-1)).toMatch(/\(id=\?\)$/)
    } finally {
      await fixture.close()
    }
  })
})

async function readAll(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}
