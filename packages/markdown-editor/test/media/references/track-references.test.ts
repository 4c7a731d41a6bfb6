import { DatabaseSync } from 'node:sqlite'
import type { SqlExecutor } from '@quillgate/server/database'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trackReferences } from '../../../src/media/references/track-references.ts'

const tx: SqlExecutor = {
  dialect: 'sqlite',
  query: async () => [],
  execute: async () => ({ affected: 0 }),
}
const post = (id: number) => ({ type: 'post', id })
const failure = new Error('the references could not be written')

/** Each text is the id of the medium that its record drops; `!` fails. */
function openTracking(actorOf?: () => { readonly label: string }) {
  const calls: string[] = []
  const settled: string[][] = []
  const tracking = trackReferences(
    {
      async set({ id }, texts, _tx, by) {
        calls.push(`begin ${id}`)
        await Promise.resolve()
        calls.push(`end ${id}${by?.actor ? ` by ${JSON.stringify(by.actor)}` : ''}`)
        if (texts === '!') throw failure
        return {
          added: [],
          removed: Array.isArray(texts) ? [`all of ${id}`] : [String(texts)],
          missing: [],
        }
      },
      settle: async (ids) => {
        settled.push([...ids])
        return []
      },
    },
    actorOf ? { actorOf } : {},
  )
  return { saves: tracking.begin(tx), calls, settled }
}

describe('trackReferences', () => {
  it('settles once, after the commit, what the saves dropped', async () => {
    const { saves, settled } = openTracking()
    await saves.save(post(1), 'a')
    await saves.save(post(1), 'b')
    await saves.remove(post(2))
    await saves.save(post(3), 'a')
    expect(settled).toEqual([])
    await saves.committed()
    expect(settled).toEqual([['a', 'b', 'all of 2']])
    await saves.committed()
    expect(settled).toHaveLength(1)
  })

  it('settles nothing after a rollback, or when nothing was dropped', async () => {
    const { saves, settled } = openTracking()
    await saves.committed()
    await saves.save(post(1), 'a')
    saves.rolledBack()
    await saves.committed()
    expect(settled).toEqual([])
  })

  it('forgets what a nested rollback takes back, and keeps what is released', async () => {
    const { saves, settled } = openTracking()
    await saves.save(post(1), 'a')
    saves.savepoint('s')
    await saves.save(post(2), 'b')
    saves.rollbackToSavepoint('s')
    await saves.save(post(3), 'c')
    saves.releaseSavepoint('s')
    saves.savepoint('t')
    await saves.save(post(4), 'd')
    await saves.committed()
    expect(settled).toEqual([['a', 'c', 'd']])
  })

  it('names savepoints as SQL does: the later of two is meant, and those after it go with it', async () => {
    const { saves, settled } = openTracking()
    saves.savepoint('s')
    await saves.save(post(1), 'a')
    saves.savepoint('s')
    await saves.save(post(2), 'b')
    saves.savepoint('u')
    await saves.save(post(3), 'c')
    saves.rollbackToSavepoint('s')
    saves.rollbackToSavepoint('s')
    saves.rollbackToSavepoint('u')
    saves.releaseSavepoint('unknown')
    await saves.committed()
    expect(settled).toEqual([['a']])
  })

  it('saves one record after the other, in the order of the calls', async () => {
    const { saves, calls } = openTracking()
    await Promise.all([1, 2, 3].map((id) => saves.save(post(id), '')))
    expect(calls).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3'])
  })

  it('lets nothing commit after a save that failed, unless it was taken back', async () => {
    const { saves } = openTracking()
    saves.savepoint('s')
    await expect(saves.save(post(1), '!')).rejects.toBe(failure)
    await saves.save(post(2), 'b')
    expect(() => saves.assertComplete()).toThrow(failure)
    saves.rollbackToSavepoint('s')
    saves.assertComplete()
    await expect(saves.save(post(1), '!')).rejects.toBe(failure)
    saves.releaseSavepoint('s')
    expect(() => saves.assertComplete()).toThrow(failure)
    saves.rolledBack()
    saves.assertComplete()
  })

  it('names who saves at the time of each save', async () => {
    let label = 'ada'
    const { saves, calls } = openTracking(() => ({ label }))
    await saves.save(post(1), '')
    label = 'grace'
    await saves.save(post(2), '')
    expect(calls.filter((call) => call.startsWith('end'))).toEqual([
      'end 1 by {"label":"ada"}',
      'end 2 by {"label":"grace"}',
    ])
  })

  it('settles what a database would have kept, whatever savepoints there are', async () => {
    const name = fc.constantFrom('s', 't')
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('save' as const), name: fc.constant('') }),
      },
      fc.record({
        kind: fc.constantFrom('savepoint' as const, 'release' as const, 'rollback' as const),
        name,
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const database = new DatabaseSync(':memory:')
        database.exec('CREATE TABLE dropped (id TEXT); BEGIN')
        const { saves, settled } = openTracking()
        const open: string[] = []
        for (const [index, { kind, name }] of steps.entries()) {
          if (kind === 'save') {
            await saves.save(post(index), `${index}`)
            database.exec(`INSERT INTO dropped VALUES ('${index}')`)
          } else if (kind === 'savepoint') {
            saves.savepoint(name)
            database.exec(`SAVEPOINT ${name}`)
            open.push(name)
          } else if (open.includes(name)) {
            if (kind === 'release') saves.releaseSavepoint(name)
            else saves.rollbackToSavepoint(name)
            database.exec(kind === 'release' ? `RELEASE ${name}` : `ROLLBACK TO ${name}`)
            open.splice(open.lastIndexOf(name) + (kind === 'release' ? 0 : 1))
          }
        }
        await saves.committed()
        database.exec('COMMIT')
        const kept = database
          .prepare('SELECT id FROM dropped')
          .all()
          .map(({ id }) => id)
        expect(settled.flat().sort()).toEqual(kept.sort())
        database.close()
      }),
    )
  })
})
