import { describeDatabases } from '@quillgate/server/testing/suites'
import { memoryStorage } from '@quillgate/storage/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { neededFiles } from '../../../src/media/copy.ts'
import type { MediaState } from '../../../src/media/ledger/medium.ts'
import { releasedObjects } from '../../../src/media/ledger/stored-objects.ts'
import { countFiles } from '../../../src/media/sweep/candidates.ts'
import { type LedgerFixture, mediaId, openLedger, T0 } from '../ledger-fixture.ts'

const STATES: readonly MediaState[] = [
  'uploading',
  'temporary',
  'promoting',
  'permanent',
  'orphaned',
  'deleting',
  'deleted',
]

describeDatabases((engine) => {
  let fixture: LedgerFixture
  beforeEach(async () => {
    fixture = await openLedger(engine)
    for (const [n, state] of STATES.entries()) await fixture.addFile(mediaId(n), state)
  })
  afterEach(() => fixture.close())

  const idsOf = async (pageSize?: number): Promise<string[]> => {
    const ids: string[] = []
    for await (const { id } of neededFiles(fixture.ledgerDatabase, pageSize)) ids.push(id)
    return ids
  }

  describe('neededFiles', () => {
    it('gives the files whose bytes somebody may ask for, page by page', async () => {
      const needed = [1, 2, 3, 4].map(mediaId)
      for (const pageSize of [1, 2, 3, 4, 5, undefined])
        expect(await idsOf(pageSize)).toEqual(needed)
      expect(await countFiles(fixture.ledgerDatabase)).toBe(4)
      expect(await countFiles(fixture.ledgerDatabase, ['uploading'])).toBe(1)
    })

    it('misses no file that changes its state on the way', async () => {
      const seen: string[] = []
      for await (const { id } of neededFiles(fixture.ledgerDatabase, 1)) {
        seen.push(id)
        if (id === mediaId(1)) await fixture.ledger.restore(mediaId(4), T0 + 9)
        if (id === mediaId(2)) {
          const reason = { reason: 'orphaned', actor: 'user:1', at: T0 + 9 } as const
          await fixture.ledger.transition(mediaId(3), {
            from: ['permanent'],
            to: 'orphaned',
            ...reason,
          })
        }
      }
      expect(seen).toEqual([1, 2, 3, 4].map(mediaId))
    })
  })

  describe('releasedObjects', () => {
    it('gives the objects of which the ledger has let go, and none that it does not know', async () => {
      const storage = memoryStorage()
      const put = (key: string) =>
        storage.write(key, ReadableStream.from([new Uint8Array(1)]), { type: 'image/png' })
      for (const n of STATES.keys()) {
        await put(`tmp/${mediaId(n)}-a.png`)
        await put(`uploads/${mediaId(n)}-a.png`)
        await put(`uploads/${mediaId(n)}-b.png`)
      }
      await put(`tmp/${mediaId(99)}-a.png`)
      await put('tmp/other.txt')
      const keysOf = async (folder: string): Promise<string[]> => {
        const keys: string[] = []
        for await (const { key } of releasedObjects(fixture.ledgerDatabase, storage, folder))
          keys.push(key)
        return keys
      }
      expect(await keysOf('tmp/')).toEqual([3, 4, 6].map((n) => `tmp/${mediaId(n)}-a.png`))
      expect(await keysOf('uploads/')).toEqual([`uploads/${mediaId(6)}-a.png`])
    })
  })
})
