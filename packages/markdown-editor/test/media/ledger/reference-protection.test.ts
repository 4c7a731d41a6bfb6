import type { SqlExecutor } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import type { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LedgerDatabase } from '../../../src/media/ledger/ledger-database.ts'
import {
  addReference,
  dropReference,
  type ReferencePlace,
  type Transition,
  transitionUnlessReferenced,
} from '../../../src/media/ledger/reference-protection.ts'
import { type LedgerFixture, openLedger, T0 } from '../ledger-fixture.ts'

const place: ReferencePlace = { type: 'post', id: '1', field: 'body' }
const toDeleting: Transition = {
  from: ['permanent', 'orphaned'],
  to: 'deleting',
  reason: 'orphaned',
  actor: 'test',
  at: T0 + 9,
}
const toOrphaned: Transition = { ...toDeleting, from: ['permanent'], to: 'orphaned' }

describe('the reference protocol', () => {
  describeDatabases((engine) => {
    let fixture: LedgerFixture
    beforeEach(async () => {
      fixture = await openLedger(engine)
      await fixture.addFile('m1', 'permanent')
    })
    afterEach(() => fixture.close())

    const hold = (tx: SqlExecutor, id = 'm1', at = T0 + 5) =>
      addReference(fixture.ledgerDatabase.on(tx), id, place, at)
    const drop = (tx: SqlExecutor) => dropReference(fixture.ledgerDatabase.on(tx), 'm1', place)
    const leave = (transition: Transition) =>
      transitionUnlessReferenced(fixture.ledgerDatabase, 'm1', transition)
    const stateOf = async (id = 'm1') => (await fixture.ledger.get(id))?.state
    const references = async () => {
      const select = fixture.ledgerDatabase.db.selectFrom('mediaReference').select('mediaId')
      return (await select.execute()).length
    }
    /** A transaction of the application, over its own connection. */
    const save = <Result>(work: (tx: SqlExecutor) => Promise<Result>) =>
      fixture.other.transaction((trx) => work(fixture.other.executor(trx)))

    describe('one after the other', () => {
      it('adds a reference once', async () => {
        expect(await save((tx) => hold(tx))).toBe('added')
        expect(await save((tx) => hold(tx))).toBe('kept')
        expect(await references()).toBe(1)
      })

      it('records when a file was first referenced', async () => {
        await save((tx) => hold(tx, 'm1', T0 + 5))
        await save((tx) => hold(tx, 'm1', T0 + 6))
        expect((await fixture.ledger.get('m1'))?.referencedAt).toBe(T0 + 5)
      })

      it('keeps a file that is referenced', async () => {
        await save((tx) => hold(tx))
        expect(await leave(toDeleting)).toBe(false)
        expect(await stateOf()).toBe('permanent')
      })

      it('lets a file be deleted if it is not referenced', async () => {
        expect(await leave(toDeleting)).toBe(true)
        expect(await stateOf()).toBe('deleting')
      })

      it('restores an orphan', async () => {
        await leave(toOrphaned)
        expect(await save((tx) => hold(tx))).toBe('added')
        expect(await fixture.ledger.get('m1')).toMatchObject({
          state: 'permanent',
          orphanedAt: null,
          reason: null,
        })
      })

      it.each(['uploading', 'deleting', 'deleted'] as const)(
        'adds no reference to a file that is %s',
        async (state) => {
          await fixture.addFile('m2', state)
          expect(await save((tx) => hold(tx, 'm2'))).toBe('missing')
          expect(await stateOf('m2')).toBe(state)
          expect(await references()).toBe(0)
        },
      )

      it.each(['temporary', 'promoting'] as const)(
        'lets a reference protect a file that is %s',
        async (state) => {
          await fixture.addFile('m2', state)
          expect(await save((tx) => hold(tx, 'm2'))).toBe('added')
          expect(await stateOf('m2')).toBe(state)
          expect(
            await transitionUnlessReferenced(fixture.ledgerDatabase, 'm2', {
              ...toDeleting,
              from: [state],
            }),
          ).toBe(false)
        },
      )

      it('reports an unknown file as missing', async () => {
        expect(await save((tx) => hold(tx, 'm9'))).toBe('missing')
      })

      it('does nothing if the file is not in the expected state', async () => {
        expect(await leave({ ...toDeleting, from: ['temporary'] })).toBe(false)
        expect(await stateOf()).toBe('permanent')
      })

      it('distinguishes never-referenced files from others', async () => {
        expect(await leave({ ...toOrphaned, wasReferenced: true })).toBe(false)
        await save((tx) => hold(tx))
        await save((tx) => drop(tx))
        expect(await leave({ ...toOrphaned, wasReferenced: false })).toBe(false)
        expect(await leave({ ...toOrphaned, wasReferenced: true })).toBe(true)
      })

      it('ignores the excepted reference, and removes it', async () => {
        await save((tx) => hold(tx))
        expect(await leave({ ...toDeleting, except: { ...place, field: 'summary' } })).toBe(false)
        expect(await leave({ ...toDeleting, except: place })).toBe(true)
        expect(await references()).toBe(0)
      })

      it('keeps a file that was orphaned after the given time', async () => {
        await leave(toOrphaned)
        const late: Transition = { ...toDeleting, from: ['orphaned'], orphanedBy: T0 + 8 }
        expect(await leave(late)).toBe(false)
        expect(await leave({ ...late, orphanedBy: T0 + 9 })).toBe(true)
      })
    })

    describe('at the same time', () => {
      it('keeps a file if the writer came first and commits', async () => {
        let left: Promise<boolean> | undefined
        await save(async (tx) => {
          expect(await hold(tx)).toBe('added')
          left = leave(toDeleting)
          await pause()
        })
        expect(await left).toBe(false)
        expect(await stateOf()).toBe('permanent')
      })

      it('lets a file be deleted if the writer came first and rolls back', async () => {
        let left: Promise<boolean> | undefined
        const rollback = new Error('rollback')
        await expect(
          save(async (tx) => {
            await hold(tx)
            left = leave(toDeleting)
            await pause()
            throw rollback
          }),
        ).rejects.toBe(rollback)
        expect(await left).toBe(true)
        expect(await references()).toBe(0)
      })

      if (engine.name !== 'sqlite')
        it('keeps a file if the writer uses REPEATABLE READ, the default of MariaDB', async () => {
          let left: Promise<boolean> | undefined
          const { other } = fixture
          await other.kysely
            .transaction()
            .setIsolationLevel('repeatable read')
            .execute(async (trx) => {
              const tx = other.executor(trx as Kysely<unknown>)
              await fixture.ledgerDatabase.on(tx).db.selectFrom('media').selectAll().execute()
              expect(await hold(tx)).toBe('added')
              left = leave(toDeleting)
              await pause()
            })
          expect(await left).toBe(false)
        })

      it('reports a file as missing if the deletion came first', async () => {
        let held: Promise<string> | undefined
        const paused = pausedAt(fixture, 'reference', async () => {
          held = save((tx) => hold(tx))
          await pause()
        })
        expect(await transitionUnlessReferenced(paused, 'm1', toDeleting)).toBe(true)
        expect(await held).toBe('missing')
        expect(await references()).toBe(0)
        expect(await stateOf()).toBe('deleting')
      })

      it('restores a file that is being orphaned', async () => {
        let held: Promise<string> | undefined
        const paused = pausedAt(fixture, 'reference', async () => {
          held = save((tx) => hold(tx))
          await pause()
        })
        expect(await transitionUnlessReferenced(paused, 'm1', toOrphaned)).toBe(true)
        expect(await held).toBe('added')
        expect(await stateOf()).toBe('permanent')
      })

      it('keeps a file while another transaction is still removing its reference', async () => {
        await save((tx) => hold(tx))
        let left: Promise<boolean> | undefined
        const rollback = new Error('rollback')
        await expect(
          save(async (tx) => {
            expect(await drop(tx)).toBe(true)
            left = leave(toDeleting)
            // Where readers do not wait for writers, the deleter must not wait either: it would be a deadlock.
            if (engine.name !== 'sqlite') expect(await left).toBe(false)
            throw rollback
          }),
        ).rejects.toBe(rollback)
        expect(await left).toBe(false)
        expect(await references()).toBe(1)
      })

      it('never leaves a reference to a deleted file, in any order', async () => {
        for (let round = 0; round < 12; round++) {
          const id = `m-${round}`
          await fixture.addFile(id, round % 2 ? 'permanent' : 'orphaned')
          const writers = [1, 2, 3].map((n) =>
            save((tx) =>
              addReference(fixture.ledgerDatabase.on(tx), id, { ...place, id: `${n}` }, T0 + 5),
            ),
          )
          const deleters = [1, 2].map(() =>
            transitionUnlessReferenced(fixture.ledgerDatabase, id, toDeleting),
          )
          const [held, left] = await Promise.all([Promise.all(writers), Promise.all(deleters)])
          if (left.includes(true)) {
            expect(held).toEqual(['missing', 'missing', 'missing'])
            expect(await stateOf(id)).toBe('deleting')
          } else {
            expect(held).toEqual(['added', 'added', 'added'])
            expect(await stateOf(id)).toBe('permanent')
          }
        }
      })
    })
  })
})

/** Runs `then` inside the deleter's transaction, in front of its first statement on one table. */
function pausedAt(
  { database, ledgerDatabase }: LedgerFixture,
  table: string,
  then: () => Promise<void>,
): LedgerDatabase {
  let done = false
  const before = async (sql: string) => {
    if (done || !sql.includes(`_${table}`)) return
    done = true
    await then()
  }
  return {
    ...ledgerDatabase,
    transaction: (work) =>
      database.transaction((trx) => {
        const tx = database.executor(trx)
        const paused: SqlExecutor = {
          dialect: tx.dialect,
          async query(sql, params) {
            await before(sql)
            return tx.query(sql, params)
          },
          async execute(sql, params) {
            await before(sql)
            return tx.execute(sql, params)
          },
        }
        return work(ledgerDatabase.on(paused))
      }),
  }
}

/** Long enough for the other side to run into the lock; the outcome is the same when it is not. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 40))
