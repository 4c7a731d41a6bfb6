import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takesCareOfMedia } from './cleanup-example.ts'

const root = join(import.meta.dirname, '..', '..')

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

  it.each([
    'kysely-cleanup.ts',
    'drizzle-cleanup.ts',
    'prisma/prisma-cleanup.ts',
    'prisma/schema.prisma',
  ])('%s is included in the guide', (name) => {
    const guide = readFileSync(join(root, 'apps', 'docs', 'markdown-editor-orm.md'), 'utf8')
    expect(guide).toContain(`\n<<< ../../examples/${name}\n`)
  })

  it('Kysely', async () => {
    const { db, ...example } = await import('../../examples/kysely-cleanup.ts')
    await sql`CREATE TABLE post (id integer PRIMARY KEY, title text NOT NULL, body text NOT NULL)`.execute(
      db,
    )
    await takesCareOfMedia(example)
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
