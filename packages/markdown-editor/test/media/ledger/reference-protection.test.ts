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

    const add = (tx: SqlExecutor, id = 'm1', at = T0 + 5) =>
      addReference(fixture.ledgerDatabase.on(tx), id, place, at)
    const drop = (tx: SqlExecutor) => dropReference(fixture.ledgerDatabase.on(tx), 'm1', place)
    const tryTransition = (transition: Transition) =>
      transitionUnlessReferenced(fixture.ledgerDatabase, 'm1', transition)
    const stateOf = async (id = 'm1') => (await fixture.ledger.get(id))?.state
    const references = async () => {
      const select = fixture.ledgerDatabase.db.selectFrom('mediaReference').select('mediaId')
      return (await select.execute()).length
    }
    /** Runs a transaction of the application on its own connection. */
    const save = <Result>(work: (tx: SqlExecutor) => Promise<Result>) =>
      fixture.other.transaction((trx) => work(fixture.other.executor(trx)))

    describe('without concurrency', () => {
      it('adds a reference once', async () => {
        expect(await save((tx) => add(tx))).toBe('added')
        expect(await save((tx) => add(tx))).toBe('kept')
        expect(await references()).toBe(1)
      })

      it('records when a file was first referenced', async () => {
        await save((tx) => add(tx, 'm1', T0 + 5))
        await save((tx) => add(tx, 'm1', T0 + 6))
        expect((await fixture.ledger.get('m1'))?.referencedAt).toBe(T0 + 5)
      })

      it('keeps a file that is referenced', async () => {
        await save((tx) => add(tx))
        expect(await tryTransition(toDeleting)).toBe(false)
        expect(await stateOf()).toBe('permanent')
      })

      it('lets a file be deleted if it is not referenced', async () => {
        expect(await tryTransition(toDeleting)).toBe(true)
        expect(await stateOf()).toBe('deleting')
      })

      it('restores an orphan', async () => {
        await tryTransition(toOrphaned)
        expect(await save((tx) => add(tx))).toBe('added')
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
          expect(await save((tx) => add(tx, 'm2'))).toBe('missing')
          expect(await stateOf('m2')).toBe(state)
          expect(await references()).toBe(0)
        },
      )

      it.each(['temporary', 'promoting'] as const)(
        'lets a reference protect a file that is %s',
        async (state) => {
          await fixture.addFile('m2', state)
          expect(await save((tx) => add(tx, 'm2'))).toBe('added')
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
        expect(await save((tx) => add(tx, 'm9'))).toBe('missing')
      })

      it('does nothing if the file is not in the expected state', async () => {
        expect(await tryTransition({ ...toDeleting, from: ['temporary'] })).toBe(false)
        expect(await stateOf()).toBe('permanent')
      })

      it('distinguishes never-referenced files from others', async () => {
        expect(await tryTransition({ ...toOrphaned, wasReferenced: true })).toBe(false)
        await save((tx) => add(tx))
        await save((tx) => drop(tx))
        expect(await tryTransition({ ...toOrphaned, wasReferenced: false })).toBe(false)
        expect(await tryTransition({ ...toOrphaned, wasReferenced: true })).toBe(true)
      })

      it('ignores the excepted reference, and removes it', async () => {
        await save((tx) => add(tx))
        expect(await tryTransition({ ...toDeleting, except: { ...place, field: 'summary' } })).toBe(
          false,
        )
        expect(await tryTransition({ ...toDeleting, except: place })).toBe(true)
        expect(await references()).toBe(0)
      })

      it('keeps a file that was orphaned after the given time', async () => {
        await tryTransition(toOrphaned)
        const late: Transition = { ...toDeleting, from: ['orphaned'], orphanedBy: T0 + 8 }
        expect(await tryTransition(late)).toBe(false)
        expect(await tryTransition({ ...late, orphanedBy: T0 + 9 })).toBe(true)
      })
    })

    describe('with concurrency', () => {
      it('keeps a file if the save started first and commits', async () => {
        let transitioned: Promise<boolean> | undefined
        await save(async (tx) => {
          expect(await add(tx)).toBe('added')
          transitioned = tryTransition(toDeleting)
          await pause()
        })
        expect(await transitioned).toBe(false)
        expect(await stateOf()).toBe('permanent')
      })

      it('lets a file be deleted if the save started first and rolls back', async () => {
        let transitioned: Promise<boolean> | undefined
        const rollback = new Error('rollback')
        await expect(
          save(async (tx) => {
            await add(tx)
            transitioned = tryTransition(toDeleting)
            await pause()
            throw rollback
          }),
        ).rejects.toBe(rollback)
        expect(await transitioned).toBe(true)
        expect(await references()).toBe(0)
      })

      if (engine.name !== 'sqlite')
        it('keeps a file if the save uses REPEATABLE READ, the default of MariaDB', async () => {
          let transitioned: Promise<boolean> | undefined
          const { other } = fixture
          await other.kysely
            .transaction()
            .setIsolationLevel('repeatable read')
            .execute(async (trx) => {
              const tx = other.executor(trx as Kysely<unknown>)
              await fixture.ledgerDatabase.on(tx).db.selectFrom('media').selectAll().execute()
              expect(await add(tx)).toBe('added')
              transitioned = tryTransition(toDeleting)
              await pause()
            })
          expect(await transitioned).toBe(false)
        })

      it('reports a file as missing if the deletion started first', async () => {
        let added: Promise<string> | undefined
        const paused = pausedAt(fixture, 'reference', async () => {
          added = save((tx) => add(tx))
          await pause()
        })
        expect(await transitionUnlessReferenced(paused, 'm1', toDeleting)).toBe(true)
        expect(await added).toBe('missing')
        expect(await references()).toBe(0)
        expect(await stateOf()).toBe('deleting')
      })

      it('restores a file that is being orphaned', async () => {
        let added: Promise<string> | undefined
        const paused = pausedAt(fixture, 'reference', async () => {
          added = save((tx) => add(tx))
          await pause()
        })
        expect(await transitionUnlessReferenced(paused, 'm1', toOrphaned)).toBe(true)
        expect(await added).toBe('added')
        expect(await stateOf()).toBe('permanent')
      })

      it('keeps a file while another transaction is still removing its reference', async () => {
        await save((tx) => add(tx))
        let transitioned: Promise<boolean> | undefined
        const rollback = new Error('rollback')
        await expect(
          save(async (tx) => {
            expect(await drop(tx)).toBe(true)
            transitioned = tryTransition(toDeleting)
            // On SQLite, the transition waits for this transaction and must not be awaited here.
            if (engine.name !== 'sqlite') expect(await transitioned).toBe(false)
            throw rollback
          }),
        ).rejects.toBe(rollback)
        expect(await transitioned).toBe(false)
        expect(await references()).toBe(1)
      })

      it('never leaves a reference to a deleted file', async () => {
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
          const [added, transitioned] = await Promise.all([
            Promise.all(writers),
            Promise.all(deleters),
          ])
          if (transitioned.includes(true)) {
            expect(added).toEqual(['missing', 'missing', 'missing'])
            expect(await stateOf(id)).toBe('deleting')
          } else {
            expect(added).toEqual(['added', 'added', 'added'])
            expect(await stateOf(id)).toBe('permanent')
          }
        }
      })
    })
  })
})

/** Runs `then` once, in the transaction that deletes, before its first statement on the table. */
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

/** Gives the other transaction time to wait for a lock. The outcome is the same without a wait. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 40))
