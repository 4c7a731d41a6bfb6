import { createQuillgate } from '@quillgate/server'
import { openDatabase } from '@quillgate/server/database'
import { createFakeClock } from '@quillgate/server/testing'
import type { Storage } from '@quillgate/storage'
import { memoryStorage } from '@quillgate/storage/testing'
import { expect } from 'vitest'
import { createMarkdownEditor } from '../../../src/create.ts'
import type { MarkdownEditor } from '../../../src/markdown-editor.ts'
import type { Actor } from '../../../src/media/ledger/principal.ts'
import type { RecordEntry } from '../../../src/media/references.ts'
import type { OrmFixture, OrmSaves } from './orm-fixture.ts'

export interface TestMedium {
  readonly id: string
  readonly key: string
  /** A text that mentions the file. */
  readonly link: string
}

export interface World {
  readonly editor: MarkdownEditor
  readonly storage: Storage
  readonly fixture: OrmFixture
  readonly saves: OrmSaves
  /** The actor of saves. If undefined, the application is the actor. */
  actor: Actor | undefined
  addMedium(): Promise<TestMedium>
  /** Reads all records with their texts, for `references.rebuild`. */
  records(): AsyncIterable<RecordEntry>
  /** Returns `permanent` or `deleted`. Orphans without a grace period are deleted immediately. */
  stateOf(medium: TestMedium): Promise<string | undefined>
  isStored(medium: TestMedium): Promise<boolean>
  /** Returns whether the owner or the application has ever saved the file in a record. */
  isReferenced(medium: TestMedium): Promise<boolean>
  /** Deletes all records and media, and resets the actor. */
  reset(): Promise<void>
  close(): Promise<void>
}

export type Given = () => World

/** The owner of all files. */
export const OWNER = { id: 'ada' }

export async function openWorld(fixture: OrmFixture): Promise<World> {
  const storage = memoryStorage()
  const clock = createFakeClock()
  const database = openDatabase(fixture.database)
  const { query } = database.executor(database.kysely)
  const records = async function* (): AsyncGenerator<RecordEntry> {
    for (const { id, body, summary } of await query('SELECT id, body, summary FROM post')) {
      const texts = { body: body as string | null, summary: summary as string | null }
      yield { type: 'post', id: String(id), texts }
    }
    for (const row of await query('SELECT post_id, language, text, remark FROM note')) {
      const id = JSON.stringify([String(row['post_id']), String(row['language'])])
      yield {
        type: 'note',
        id,
        texts: { text: String(row['text']), remark: String(row['remark']) },
      }
    }
  }
  const gate = createQuillgate({
    secret: 'a secret of at least thirty-two bytes',
    database: fixture.database,
    clock,
  })
  const editor = createMarkdownEditor(gate, {
    storage,
    authenticate: () => OWNER,
    settings: { orphanGrace: 0, uploadRateLimit: null, sweepInterval: null },
  })
  await gate.ready()
  const world: World = {
    ...{ editor, storage, fixture, records, actor: undefined },
    saves: fixture.start(editor, { actorOf: () => world.actor }),
    addMedium: () => addMedium(editor),
    stateOf: async ({ id }) => (await editor.media.get(id))?.state,
    isStored: async ({ key }) => (await storage.stat(key)) !== null,
    isReferenced: async ({ id }) => (await editor.media.get(id))?.referencedAt !== null,
    async reset() {
      for (const table of ['note', 'post', 'quillgate_media_reference', 'quillgate_media'])
        await query(`DELETE FROM ${table}`)
      world.actor = undefined
    },
    async close() {
      await gate.close()
      await database.close()
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
  const uploaded = (await (await editor.gate.fetch(request)).json()) as { url: string }
  const { text } = await editor.finalize(`[a](${uploaded.url})`, { owner: OWNER })
  const [, key = '', id = ''] = /\(\/media\/(.*(m[0-9a-z]{26}).*)\)/.exec(text) ?? []
  return { id, key, link: text }
}

const ROLLBACK = new Error('rolled back by the test')

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
