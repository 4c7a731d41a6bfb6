import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, it } from 'vitest'
import { describePrisma } from '../../packages/markdown-editor/test/orm/prisma/describe-prisma.ts'
import { takesCareOfMedia } from './cleanup-example.ts'

describePrisma(
  async () => null,
  (engine) => {
    const cwd = process.cwd()
    let folder: string

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'quillgate-prisma-'))
      mkdirSync(join(folder, 'data'))
      process.chdir(folder) // The example writes to ./data.
    })

    afterEach(() => {
      process.chdir(cwd)
      rmSync(folder, { recursive: true, force: true })
    })

    it('the example of the Prisma guide manages media', async () => {
      const { database, url, close } = await engine.open()
      const server = new URL(url)
      const name = `quillgate_${randomUUID().replaceAll('-', '')}`
      await sql`CREATE DATABASE ${sql.id(name)}`.execute(database.kysely)
      server.pathname = name
      server.search = ''
      process.env['DATABASE_URL'] = server.href
      const { prisma, ...example } = await import('../../examples/prisma/prisma-cleanup.ts')
      await prisma.$executeRaw`CREATE TABLE post (id serial PRIMARY KEY, title text NOT NULL, body text NOT NULL)`
      await takesCareOfMedia(example)
      await example.gate.close()
      await prisma.$disconnect()
      await sql`DROP DATABASE ${sql.id(name)} WITH (FORCE)`.execute(database.kysely)
      await close()
    })
  },
  ['postgres'],
)
