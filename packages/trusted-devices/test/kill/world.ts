import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dialect, migrate } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { deviceMigrations } from '@quillgate/trusted-devices'
import { createFakeClock, type FakeClock } from '@quillgate/trusted-devices/testing'
import type { ReceivedEvent } from './received-event.ts'

export interface Environment {
  readonly engine: Dialect
  readonly url: string
  readonly clock: FakeClock
  readonly received: ReceivedEvent[]
}

export interface Environments {
  readonly engine: Dialect
  /**
   * Opens an environment with empty tables. With a `model`, copies the tables of the model. Only
   * SQLite supports a model.
   */
  open(model?: Environment): Promise<Environment>
  close(): Promise<void>
}

/** On SQLite, each environment has its own file. */
export async function openEnvironments(engine: TestEngine): Promise<Environments> {
  const opened = await engine.open()
  const executor = opened.database.executor(opened.database.kysely)
  await migrate(opened.database, deviceMigrations)
  // With this journal mode, the whole database is in one file, which can be copied.
  if (engine.name === 'sqlite') await executor.query('PRAGMA journal_mode = DELETE')
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
        received: [...(model?.received ?? [])],
      }
    },
    async close() {
      await opened.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const TABLES = ['device', 'device_revoked', 'device_owner', 'device_job']
