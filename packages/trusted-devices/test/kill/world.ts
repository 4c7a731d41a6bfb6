import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dialect, migrate } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { deviceMigrations } from '@quillgate/trusted-devices'
import { createFakeClock, type FakeClock } from '@quillgate/trusted-devices/testing'
import type { Heard } from './heard.ts'

/** The world around the processes of one trial: a database, the time, and those who hear of events. */
export interface Place {
  readonly engine: Dialect
  readonly url: string
  readonly clock: FakeClock
  /** What receivers heard. */
  readonly heard: Heard[]
}

/** Makes places. */
export interface Ground {
  readonly engine: Dialect
  /** A place with empty tables, or, on SQLite only, with those of a model. */
  open(model?: Place): Promise<Place>
  close(): Promise<void>
}

/** Opens a ground with one database; on SQLite each place has a file of its own. */
export async function openGround(engine: TestEngine): Promise<Ground> {
  const opened = await engine.open()
  const executor = opened.database.executor(opened.database.kysely)
  await migrate(opened.database, deviceMigrations)
  if (engine.name === 'sqlite') await executor.query('PRAGMA journal_mode = DELETE') // One file, which can be copied.
  const folder = await mkdtemp(join(tmpdir(), 'quillgate-kill-'))
  let count = 0
  return {
    engine: engine.name,
    async open(model) {
      const number = count++
      const file = join(folder, `${number}.sqlite`)
      const url = engine.name === 'sqlite' ? `sqlite:${file}` : opened.url
      if (engine.name === 'sqlite')
        await copyFile((model?.url ?? opened.url).slice('sqlite:'.length), file)
      else for (const table of TABLES) await executor.execute(`DELETE FROM quillgate_${table}`)
      return {
        engine: engine.name,
        url,
        clock: createFakeClock(model?.clock()),
        heard: [...(model?.heard ?? [])],
      }
    },
    async close() {
      await opened.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const TABLES = ['device', 'device_revoked', 'device_owner', 'device_job']
