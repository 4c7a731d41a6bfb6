import { openDatabase } from '@quillgate/server/database'
import { createFakeClock } from '@quillgate/server/testing'
import { expect } from 'vitest'
import { createMarkdownEditor, type MarkdownEditor } from '../markdown-editor.ts'
import type { Actor } from '../media/owner.ts'
import type { Storage } from '../storage/storage.ts'
import { memoryStorage } from './memory-storage.ts'
import type { OrmFixture, OrmSaves } from './orm-fixture.ts'

/** A file of the tests. */
export interface TestMedium {
  readonly id: string
  readonly key: string
  /** A text that mentions it. */
  readonly link: string
}

/** What every test works with. */
export interface World {
  readonly editor: MarkdownEditor
  readonly storage: Storage
  readonly fixture: OrmFixture
  readonly saves: OrmSaves
  /** Who saves; undefined: the application. */
  actor: Actor | undefined
  addMedium(): Promise<TestMedium>
  /**
   * Its state: `permanent`, or `deleted`, for the editor of the tests keeps orphans for no time. With a separate ledger
   * it has to keep them for a while: an orphan is called `deleted` too.
   */
  stateOf(medium: TestMedium): Promise<string | undefined>
  /** Whether its bytes are there; with a separate ledger, after the time for which it keeps them. */
  isStored(medium: TestMedium): Promise<boolean>
  /** Whether a record was saved with it; with a separate ledger, whether one references it now. */
  isReferenced(medium: TestMedium): Promise<boolean>
  close(): Promise<void>
}

/** Where the ledger lies: in the records' database, or in another one. */
export type LedgerPlace = 'same' | 'separate'

/** Both. */
export const LEDGERS: readonly LedgerPlace[] = ['same', 'separate']

/** Gives the world of the test that runs. */
export type Given = () => World

/** Who uploads every file of the tests. */
export const OWNER = { id: 'ada' }

const HOUR = 3_600_000

/** Opens an editor, with its files in memory, and lets it follow the library. */
export async function openWorld(fixture: OrmFixture, ledger: LedgerPlace): Promise<World> {
  const storage = memoryStorage()
  const clock = createFakeClock()
  const separate = ledger === 'separate' ? openDatabase('sqlite::memory:') : null
  const editor = createMarkdownEditor({
    secret: 'a secret of at least thirty-two bytes',
    database: separate?.kysely ?? fixture.database,
    ...(separate ? ({ recordsDatabase: 'separate' } as const) : {}),
    records: { load: (record) => fixture.record(record), all: () => fixture.records() },
    storage,
    authenticate: () => OWNER,
    settings: { orphanGrace: separate ? 1 : 0, uploadRateLimit: null, sweepInterval: null },
    clock,
  })
  await editor.ready()
  const world: World = {
    ...{ editor, storage, fixture, actor: undefined },
    saves: fixture.start(editor, { actorOf: () => world.actor }),
    addMedium: () => addMedium(editor),
    async stateOf({ id }) {
      const state = (await editor.media.get(id))?.state
      return separate && state === 'orphaned' ? 'deleted' : state
    },
    async isStored({ key }) {
      if (separate) {
        clock.advance(2 * HOUR)
        await editor.sweep()
      }
      return (await storage.stat(key)) !== null
    },
    async isReferenced({ id }) {
      if (!separate) return (await editor.media.get(id))?.referencedAt !== null
      const found = 'SELECT field FROM quillgate_media_reference WHERE media_id = ?'
      return (await separate.executor(separate.kysely).query(found, [id])).length > 0
    },
    async close() {
      await editor.close()
      await separate?.close()
    },
  }
  return world
}

async function addMedium(editor: MarkdownEditor): Promise<TestMedium> {
  const body = new FormData()
  body.set('file', new File(['Only text'], 'a.txt', { type: 'text/plain' }))
  const headers = { authorization: 'Bearer test' }
  const request = new Request(`https://example.com${editor.url('upload')}`, {
    method: 'POST',
    headers,
    body,
  })
  const uploaded = (await (await editor.fetch(request)).json()) as { url: string }
  const { text } = await editor.finalize(`[a](${uploaded.url})`, { owner: OWNER })
  const [, key = '', id = ''] = /\(\/media\/(.*(m[0-9a-z]{26}).*)\)/.exec(text) ?? []
  return { id, key, link: text }
}

const ROLLBACK = new Error('rolled back by the test')

/** Runs work in a transaction that rolls back. */
export async function rollBack(
  saves: OrmSaves,
  work: (saves: OrmSaves) => Promise<unknown>,
): Promise<void> {
  const rolledBack = saves.transaction(async (own) => {
    await work(own)
    throw ROLLBACK
  })
  await expect(rolledBack).rejects.toBe(ROLLBACK)
}
