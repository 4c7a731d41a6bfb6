import { createFakeClock } from '@quillgate/server/testing'
import type { Storage } from '@quillgate/storage'
import { memoryStorage } from '@quillgate/storage/testing'
import { expect } from 'vitest'
import { createMarkdownEditor, type MarkdownEditor } from '../markdown-editor.ts'
import type { Actor } from '../media/owner.ts'
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
  /** Its state: `permanent`, or `deleted`, because the editor of the tests keeps orphans for no time. */
  stateOf(medium: TestMedium): Promise<string | undefined>
  /** Whether its bytes are there. */
  isStored(medium: TestMedium): Promise<boolean>
  /** Whether a record was saved with it. */
  isReferenced(medium: TestMedium): Promise<boolean>
  close(): Promise<void>
}

/** Gives the world of the test that runs. */
export type Given = () => World

/** Who uploads every file of the tests. */
export const OWNER = { id: 'ada' }

/** Opens an editor, with its files in memory, and lets it follow the library. */
export async function openWorld(fixture: OrmFixture): Promise<World> {
  const storage = memoryStorage()
  const clock = createFakeClock()
  const editor = createMarkdownEditor({
    secret: 'a secret of at least thirty-two bytes',
    database: fixture.database,
    records: { all: () => fixture.records() },
    storage,
    authenticate: () => OWNER,
    settings: { orphanGrace: 0, uploadRateLimit: null, sweepInterval: null },
    clock,
  })
  await editor.ready()
  const world: World = {
    ...{ editor, storage, fixture, actor: undefined },
    saves: fixture.start(editor, { actorOf: () => world.actor }),
    addMedium: () => addMedium(editor),
    stateOf: async ({ id }) => (await editor.media.get(id))?.state,
    isStored: async ({ key }) => (await storage.stat(key)) !== null,
    isReferenced: async ({ id }) => (await editor.media.get(id))?.referencedAt !== null,
    async close() {
      await editor.close()
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
