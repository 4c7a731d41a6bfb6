import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MediaState } from '../../../src/media/ledger/medium.ts'
import { addReference } from '../../../src/media/ledger/reference-protection.ts'
import { type LedgerFixture, openLedger, T0 } from '../ledger-fixture.ts'

describe('MediaLedger', () => {
  describeDatabases((engine) => {
    let fixture: LedgerFixture
    beforeEach(async () => {
      fixture = await openLedger(engine)
    })
    afterEach(() => fixture.close())

    it('records a file from its first byte to its deletion', async () => {
      const { ledger } = fixture
      await fixture.addFile('m1', 'uploading')
      expect(await ledger.get('m1')).toEqual({
        id: 'm1',
        state: 'uploading',
        owner: 'user:1',
        name: 'a.png',
        type: 'image/png',
        size: null,
        checksum: null,
        tempKey: 'tmp/m1-a.png',
        key: null,
        width: null,
        height: null,
        createdAt: T0,
        finalizedAt: null,
        referencedAt: null,
        savedIn: null,
        orphanedAt: null,
        deletedAt: null,
        reason: null,
        actor: null,
      })
      await ledger.complete('m1', { name: 'b.gif', type: 'image/gif', size: 7, checksum: 'ab' }, T0)
      expect(await ledger.get('m1')).toMatchObject({
        state: 'temporary',
        name: 'b.gif',
        type: 'image/gif',
        size: 7,
      })
      await ledger.beginPromotion('m1', 'up/m1-b.gif', T0 + 1)
      expect(await ledger.get('m1')).toMatchObject({
        state: 'promoting',
        key: 'up/m1-b.gif',
        finalizedAt: null,
      })
      await ledger.completePromotion('m1', T0 + 2)
      expect(await ledger.get('m1')).toMatchObject({
        state: 'permanent',
        finalizedAt: T0 + 2,
        referencedAt: null,
      })
      await ledger.transition('m1', {
        from: ['permanent'],
        to: 'orphaned',
        reason: 'removed',
        actor: 'user:9',
        at: T0 + 3,
      })
      expect(await ledger.get('m1')).toMatchObject({
        state: 'orphaned',
        orphanedAt: T0 + 3,
        reason: 'removed',
        actor: 'user:9',
      })
      await ledger.transition('m1', {
        from: ['orphaned'],
        to: 'deleting',
        reason: 'removed',
        actor: 'sweep',
        at: T0 + 4,
      })
      await ledger.completeDeletion('m1', T0 + 5)
      expect(await ledger.get('m1')).toMatchObject({
        state: 'deleted',
        deletedAt: T0 + 5,
        actor: 'sweep',
      })
    })

    it('records when the state last changed', async () => {
      const { ledger, ledgerDatabase } = fixture
      const select = ledgerDatabase.db.selectFrom('media').select('changedAt')
      const changedAt = async () => (await select.executeTakeFirstOrThrow()).changedAt
      const refer = (at: number) =>
        ledgerDatabase.transaction((tx) =>
          addReference(tx, 'm1', { type: 'post', id: '1', field: '' }, at),
        )
      await fixture.addFile('m1', 'uploading')
      const facts = { name: 'a.png', type: 'image/png', size: 3, checksum: 'c0ffee' }
      const transition = {
        from: ['permanent'],
        to: 'orphaned',
        reason: 'orphaned',
        actor: null,
      } as const
      const steps: ((at: number) => Promise<unknown>)[] = [
        (at) => ledger.complete('m1', facts, at),
        (at) => ledger.beginPromotion('m1', 'up/m1-a.png', at),
        (at) => ledger.completePromotion('m1', at),
        (at) => ledger.transition('m1', { ...transition, at }),
        (at) => refer(at),
      ]
      for (const [index, step] of steps.entries()) {
        await step(T0 + 10 + index)
        expect(await changedAt()).toBe(T0 + 10 + index)
      }
      await refer(T0 + 99)
      expect(await changedAt()).toBe(T0 + 14)
    })

    it('allows each transition from its own state only', async () => {
      const { ledger } = fixture
      const states: MediaState[] = [
        'uploading',
        'temporary',
        'promoting',
        'permanent',
        'orphaned',
        'deleting',
        'deleted',
      ]
      const facts = { name: 'a.png', type: 'image/png', size: 3, checksum: 'c0ffee' }
      const steps: Record<string, { from: MediaState[]; take: (id: string) => Promise<boolean> }> =
        {
          complete: {
            from: ['uploading'],
            take: async (id) => (await ledger.complete(id, facts, T0)) === 'completed',
          },
          giveUpUpload: {
            from: ['uploading'],
            take: (id) => ledger.giveUp(id, 'uploading', T0),
          },
          beginPromotion: {
            from: ['temporary'],
            take: (id) => ledger.beginPromotion(id, 'up/x', T0),
          },
          completePromotion: {
            from: ['promoting'],
            take: (id) => ledger.completePromotion(id, T0),
          },
          giveUp: {
            from: ['promoting'],
            take: (id) => ledger.giveUp(id, 'promoting', T0),
          },
          completeDeletion: { from: ['deleting'], take: (id) => ledger.completeDeletion(id, T0) },
          restore: { from: ['orphaned'], take: (id) => ledger.restore(id, T0) },
        }
      const taken: Record<string, MediaState[]> = {}
      for (const [name, { take }] of Object.entries(steps)) {
        taken[name] = []
        for (const state of states) {
          const id = `m-${name}-${state}`
          await fixture.addFile(id, state)
          const before = await ledger.get(id)
          if (await take(id)) taken[name].push(state)
          else expect(await ledger.get(id)).toEqual(before)
        }
      }
      expect(taken).toEqual(
        Object.fromEntries(Object.entries(steps).map(([name, { from }]) => [name, from])),
      )
    })

    it('does not find a file by an id in another case or with a trailing space', async () => {
      await fixture.addFile('mabc', 'temporary')
      expect(await fixture.ledger.get('mABC')).toBeNull()
      expect(await fixture.ledger.get('mabc ')).toBeNull()
      expect(await fixture.ledger.get('ключ 🔑')).toBeNull()
      expect(await fixture.ledger.restore('ключ 🔑', T0)).toBe(false)
      expect(await fixture.ledger.beginPromotion('Mabc', 'up/x', T0)).toBe(false)
    })

    it('sums the bytes of an owner, whose name is compared exactly', async () => {
      await fixture.addFile('m1', 'temporary', 'user:a')
      await fixture.addFile('m2', 'orphaned', 'user:a')
      await fixture.addFile('m3', 'deleted', 'user:a')
      await fixture.addFile('m4', 'uploading', 'user:a')
      await fixture.addFile('m5', 'permanent', 'user:A')
      await fixture.addFile('m6', 'permanent', 'user:a ')
      expect(await fixture.ledger.usage('user:a')).toBe(6)
      expect(await fixture.ledger.usage('user:nobody')).toBe(0)
    })

    it('transfers the files of one owner to another', async () => {
      await fixture.addFile('m1', 'temporary', 'anon:s')
      await fixture.addFile('m2', 'permanent', 'anon:s')
      await fixture.addFile('m3', 'temporary', 'anon:t')
      expect(await fixture.ledger.changeOwner('anon:s', 'user:1')).toBe(2)
      expect((await fixture.ledger.get('m1'))?.owner).toBe('user:1')
      expect((await fixture.ledger.get('m3'))?.owner).toBe('anon:t')
    })
  })
})
