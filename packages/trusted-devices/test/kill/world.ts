import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Dialect, migrate } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { deviceMigrations } from '@quillgate/trusted-devices'
import { createFakeClock, type FakeClock } from '@quillgate/trusted-devices/testing'
import { type Heard, heardByWebhook } from './heard.ts'

/** The world around the processes of one trial: a database, the time, and those who hear of events. */
export interface Place {
  readonly engine: Dialect
  readonly url: string
  readonly clock: FakeClock
  /** What receivers heard. */
  readonly heard: Heard[]
  /** What the webhook heard. */
  readonly hooked: Heard[]
  /** URL of the webhook, or null for none. */
  readonly hook: string | null
}

/** Makes places. */
export interface Ground {
  readonly engine: Dialect
  /** A place with empty tables, or, on SQLite only, with those of a model. */
  open(hasHook: boolean, model?: Place): Promise<Place>
  close(): Promise<void>
}

/** Opens a ground with one database; on SQLite each place has a file of its own. */
export async function openGround(engine: TestEngine): Promise<Ground> {
  const opened = await engine.open()
  const executor = opened.database.executor(opened.database.kysely)
  await migrate(opened.database, deviceMigrations)
  if (engine.name === 'sqlite') await executor.query('PRAGMA journal_mode = DELETE') // One file, which can be copied.
  const folder = await mkdtemp(join(tmpdir(), 'quillgate-kill-'))
  const hooks = await openHooks()
  let count = 0
  return {
    engine: engine.name,
    async open(hasHook, model) {
      const number = count++
      const file = join(folder, `${number}.sqlite`)
      const hooked: Heard[] = [...(model?.hooked ?? [])]
      const url = engine.name === 'sqlite' ? `sqlite:${file}` : opened.url
      if (engine.name === 'sqlite')
        await copyFile((model?.url ?? opened.url).slice('sqlite:'.length), file)
      else for (const table of TABLES) await executor.execute(`DELETE FROM quillgate_${table}`)
      return {
        engine: engine.name,
        url,
        clock: createFakeClock(model?.clock()),
        heard: [...(model?.heard ?? [])],
        hooked,
        hook: hasHook ? hooks.listen(String(number), hooked) : null,
      }
    },
    async close() {
      await hooks.close()
      await opened.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const TABLES = ['device', 'device_revoked', 'device_owner', 'device_job']

/** A server for the webhooks of all places. */
async function openHooks() {
  const lists = new Map<string, Heard[]>()
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null)
    if (body !== null) lists.get(request.url?.slice(1) ?? '')?.push(heardByWebhook(body))
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    listen(name: string, list: Heard[]): string {
      lists.set(name, list)
      return `http://127.0.0.1:${port}/${name}`
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
