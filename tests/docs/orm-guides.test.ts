import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FormBrowser } from '../support/form-browser.ts'
import { takesCareOfMedia } from './cleanup-example.ts'

const root = join(import.meta.dirname, '..', '..')

describe('the examples of the guide to cleanup on save', () => {
  const cwd = process.cwd()
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quillgate-orm-'))
    mkdirSync(join(folder, 'data'))
    process.chdir(folder) // The examples write to ./data.
  })

  afterEach(() => {
    process.chdir(cwd)
    rmSync(folder, { recursive: true, force: true })
  })

  it.each([
    'kysely-cleanup.ts',
    'drizzle-cleanup.ts',
    'prisma/prisma-cleanup.ts',
    'prisma/schema.prisma',
  ])('%s is included in the guide', (name) => {
    const guide = readFileSync(join(root, 'apps', 'docs', 'markdown-editor-orm.md'), 'utf8')
    expect(guide).toContain(`\n<<< ../../examples/${name}\n`)
  })

  it('Kysely manages media, also through the forms of the page', async () => {
    const { app, db, ...example } = await import('../../examples/kysely-cleanup.ts')
    await takesCareOfMedia(example)

    const server = createServer(app)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const browser = new FormBrowser(`http://localhost:${(server.address() as AddressInfo).port}`)
    const save = async (path: string, body: string) => {
      const csrf_token = await browser.token('/')
      const form = new URLSearchParams({ csrf_token, title: 'A post', body })
      expect((await browser.post(path, form)).status).toBe(303)
      return db.selectFrom('post').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow()
    }
    const { id, title } = await save('/', 'one')
    expect(title).toBe('A post')
    expect(await save(`/posts/${id}`, 'two')).toMatchObject({ id, body: 'two' })
    expect(await (await browser.get(`/posts/${id}`)).text()).toContain('two</textarea>')
    expect((await save(`/posts/${id}`, '')).id).not.toBe(id)
    server.close()
  })

  describe('Drizzle', () => {
    describeDatabases(drizzleTest, ['postgres'])
  })
})

function drizzleTest(engine: TestEngine): void {
  it('manages media', async () => {
    const { url, close } = await engine.open()
    const database = openDatabase(url)
    const columns = sql`id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text NOT NULL, body text NOT NULL`
    await sql`CREATE TABLE post (${columns})`.execute(database.kysely)
    await database.close()
    process.env['DATABASE_URL'] = url
    const { pool, ...example } = await import('../../examples/drizzle-cleanup.ts')
    await takesCareOfMedia(example)
    await example.gate.close()
    await pool.end()
    await close()
  })
}
