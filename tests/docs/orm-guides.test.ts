import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@quillgate/database'
import type { TestEngine } from '@quillgate/database/testing'
import { describeDatabases } from '@quillgate/database/testing/suites'
import type { MarkdownEditor } from '@quillgate/markdown-editor'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** What an example of cleanup on save exports. */
interface Example {
  readonly editor: MarkdownEditor
  savePost(title: string, body: string): Promise<{ id: number } | undefined>
  movePictures(from: number, to: number, body: string): Promise<void>
  deletePosts(title: string): Promise<unknown>
}

describe('the examples of the guide to cleanup on save', () => {
  const cwd = process.cwd()
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quillgate-orm-'))
    mkdirSync(join(folder, 'data'))
    process.chdir(folder) // The examples keep their data in ./data.
  })

  afterEach(() => {
    process.chdir(cwd)
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(['kysely-cleanup.ts', 'drizzle-cleanup.ts'])('%s stands in the guide word for word', (name) => {
    const guide = readFileSync(join(root, 'apps', 'docs', 'markdown-editor.md'), 'utf8')
    expect(guide).toContain(readFileSync(join(root, 'examples', name), 'utf8').trim())
  })

  it('Kysely', async () => {
    const { db, ...example } = await import('../../examples/kysely-cleanup.ts')
    await sql`CREATE TABLE post (id integer PRIMARY KEY, title text NOT NULL, body text NOT NULL)`.execute(db)
    await takesCareOfMedia(example)
  })

  describe('Drizzle', () => {
    describeDatabases(drizzleTest, ['postgres'])
  })
})

function drizzleTest(engine: TestEngine): void {
  it('takes care of media', async () => {
    const { url, close } = await engine.open()
    const database = openDatabase(url)
    const columns = sql`id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text NOT NULL, body text NOT NULL`
    await sql`CREATE TABLE post (${columns})`.execute(database.kysely)
    await database.close()
    process.env['DATABASE_URL'] = url
    const { pool, ...example } = await import('../../examples/drizzle-cleanup.ts')
    await takesCareOfMedia(example)
    await example.editor.close()
    await pool.end()
    await close()
  })
}

async function takesCareOfMedia({ editor, savePost, movePictures, deletePosts }: Example): Promise<void> {
  await editor.ready()
  const [first, second] = [await addMedium(editor), await addMedium(editor)]
  const from = await savePost('one', first.link + second.link)
  const to = await savePost('two', 'no pictures')
  await movePictures(from?.id ?? 0, to?.id ?? 0, first.link)
  expect([await stateOf(editor, first), await stateOf(editor, second)]).toEqual(['permanent', 'orphaned'])
  await deletePosts('two')
  expect(await stateOf(editor, first)).toBe('orphaned')
}

async function addMedium(editor: MarkdownEditor): Promise<{ id: string; link: string }> {
  const body = new FormData()
  body.set('file', new File(['Only text'], 'a.txt', { type: 'text/plain' }))
  const request = new Request(`https://example.com${editor.url('upload')}`, {
    method: 'POST',
    headers: { authorization: 'Bearer test' },
    body,
  })
  const native = { get: () => 'ada' }
  const { url } = (await (await editor.fetch(request, { native })).json()) as { url: string }
  const { text } = await editor.finalize(`[a](${url})`, { owner: { id: '1' } })
  return { id: /m[0-9a-z]{26}/.exec(text)?.[0] ?? '', link: text }
}

async function stateOf(editor: MarkdownEditor, { id }: { id: string }): Promise<string | undefined> {
  return (await editor.media.get(id))?.state
}
