import { type Database, openDatabase, toNumber } from '@quillgate/database'
import { describeDatabases } from '@quillgate/database/testing/suites'
import type { Storage } from '@quillgate/markdown-editor'
import { createFakeClock, memoryStorage } from '@quillgate/markdown-editor/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openEditor, png, type TestEditor } from '../editor-fixture.ts'

const DAY = 86_400_000
const USERS = ['ada', 'grace']
const RECORDS = [1, 2, 3]

/** What somebody does; numbers choose among what there is. */
type Step =
  | { readonly do: 'upload'; readonly user: string }
  | { readonly do: 'finalize'; readonly user: string; readonly files: readonly number[] }
  | {
      readonly do: 'save'
      readonly record: number
      readonly files: readonly number[]
      readonly end: 'settled' | 'killed' | 'rolled back'
    }
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'sweep' }
  | { readonly do: 'fault' }

const files = fc.array(fc.nat(), { maxLength: 3 })
const user = fc.constantFrom(...USERS)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('upload' as const), user }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('finalize' as const), user, files }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('save' as const),
      record: fc.constantFrom(...RECORDS),
      files,
      end: fc.constantFrom('settled' as const, 'settled' as const, 'killed' as const, 'rolled back' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 200 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fault' as const) }) },
)

/** Each element happens at once, the next when it is over. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 16 })

describe('the life of media', () => {
  describeDatabases((engine) => {
    const numRuns = engine.name === 'sqlite' ? 40 : 6
    it('loses no referenced file, keeps no other for ever, and gives none to a stranger', {
      timeout: 120_000,
    }, async () => {
      await fc.assert(
        fc.asyncProperty(history, fc.constantFrom(0, 86_400), async (moments, orphanGrace) => {
          const { url, close } = await engine.open()
          const world = await openWorld(url, orphanGrace)
          try {
            for (const moment of moments) {
              await Promise.all(moment.map((each) => world.run(each)))
              await world.expectReferencedFiles()
            }
            await world.expectNothingElseAfterTheGraces()
          } finally {
            await world.close()
            await close()
          }
        }),
        { numRuns },
      )
    })
  })
})

interface World {
  run(step: Step): Promise<void>
  expectReferencedFiles(): Promise<void>
  expectNothingElseAfterTheGraces(): Promise<void>
  close(): Promise<void>
}

/** An application with three records, over its own connections, and an editor on the same database. */
async function openWorld(url: string, orphanGrace: number): Promise<World> {
  const clock = createFakeClock()
  const { storage, failOnce, heal } = faulty(memoryStorage({ clock }))
  const opened = await openEditor({ orphanGrace }, { database: url, storage, clock })
  const { editor } = opened
  const application = openDatabase(url, { poolSize: 3 })
  await createRecords(application)
  await editor.references.rebuild([]) // There are none yet; so unsaved files may go before the first reference.
  const uploaded: { readonly url: string; readonly owner: string }[] = []
  const choose = (numbers: readonly number[]) => numbers.flatMap((n) => uploaded[n % (uploaded.length || 1)] ?? [])

  const run = async (each: Step): Promise<void> => {
    switch (each.do) {
      case 'upload':
        uploaded.push({ url: (await opened.upload('a.png', png(), each.user)).url, owner: each.user })
        return
      case 'finalize':
        return finalize(opened, each.user, choose(each.files))
      case 'save': {
        const text = choose(each.files)
          .map((file) => `![a](${file.url})`)
          .join('\n')
        return save(opened, application, { ...each, text })
      }
      case 'wait':
        clock.advance(each.hours * 3_600_000)
        return
      case 'sweep':
        await editor.sweep()
        return
      case 'fault':
        failOnce()
    }
  }

  return {
    run,
    async expectReferencedFiles() {
      for (const id of await heldIds(application)) {
        const medium = await editor.media.get(id)
        expect(['temporary', 'promoting', 'permanent']).toContain(medium?.state)
        const key = medium?.state === 'permanent' ? medium.key : medium?.tempKey
        expect(await storage.stat(key ?? ''), `bytes of ${id}, ${medium?.state}`).not.toBeNull()
      }
    },
    async expectNothingElseAfterTheGraces() {
      heal()
      for (let round = 0; round < 2; round++) {
        clock.advance(30 * DAY)
        await editor.sweep()
      }
      const needed = (await heldIds(application)).map(async (id) => {
        const medium = await editor.media.get(id)
        return medium?.key ?? medium?.tempKey ?? ''
      })
      expect(await opened.storedKeys()).toEqual((await Promise.all(needed)).sort())
      expect(await editor.check()).toMatchObject({
        damaged: { count: 0 },
        strays: { count: 0 },
        dangling: { count: 0 },
      })
    },
    async close() {
      await application.close()
      await opened.close()
    },
  }
}

async function finalize(
  { editor }: TestEditor,
  user: string,
  chosen: readonly { readonly url: string; readonly owner: string }[],
): Promise<void> {
  const text = chosen.map(({ url }) => `![a](${url})`).join('\n')
  const result = await editor.finalize(text, { owner: { id: user } }).catch(ignoreFault)
  for (const { url, owner } of result ? chosen : []) {
    if (owner !== user) expect(result?.missing).toContain(url)
  }
}

async function save(
  { editor }: TestEditor,
  application: Database,
  { record, text, end }: { record: number; text: string; end: 'settled' | 'killed' | 'rolled back' },
): Promise<void> {
  let removed: readonly string[] = []
  const rollback = new Error('rollback')
  try {
    await application.transaction(async (trx) => {
      const tx = application.executor(trx)
      await tx.execute(`UPDATE app_record SET held = '[]' WHERE id = ${record}`)
      const change = await editor.references.set({ type: 'post', id: record }, { body: text }, tx)
      const held = [...new Set(text.match(/m[0-9a-z]{26}/g) ?? [])].filter((id) => !change.missing.includes(id))
      await tx.execute(`UPDATE app_record SET held = '${JSON.stringify(held)}' WHERE id = ${record}`)
      removed = change.removed
      if (end === 'rolled back') throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
    return
  }
  if (end === 'settled') await editor.references.settle(removed)
}

async function createRecords(application: Database): Promise<void> {
  const executor = application.executor(application.kysely)
  await executor.execute('CREATE TABLE app_record (id INTEGER PRIMARY KEY, held VARCHAR(2000) NOT NULL)')
  for (const id of RECORDS) await executor.execute(`INSERT INTO app_record VALUES (${id}, '[]')`)
}

async function heldIds(application: Database): Promise<string[]> {
  const rows = await application.executor(application.kysely).query('SELECT id, held FROM app_record')
  expect(rows.map((row) => toNumber(row['id']))).toHaveLength(RECORDS.length)
  return [...new Set(rows.flatMap((row) => JSON.parse(String(row['held'])) as string[]))]
}

class Fault extends Error {}

function ignoreFault(error: unknown): undefined {
  if (!(error instanceof Fault)) throw error
}

/** A storage whose next copy or removal can be made to fail, after it was done or before. */
function faulty(storage: Storage): { storage: Storage; failOnce(): void; heal(): void } {
  let faults = 0
  const failing = async (work: () => Promise<boolean>): Promise<boolean> => {
    if (faults === 0) return work()
    faults--
    if (faults % 2) await work()
    throw new Fault('out of order')
  }
  return {
    storage: {
      write: (...args) => storage.write(...args),
      read: (...args) => storage.read(...args),
      stat: (key) => storage.stat(key),
      list: (prefix) => storage.list(prefix),
      copy: (from, to) => failing(() => storage.copy(from, to)),
      remove: (key) => failing(() => storage.remove(key)),
    },
    failOnce: () => void faults++,
    heal: () => {
      faults = 0
    },
  }
}
