import { openDatabase, type SqlExecutor } from '@quillgate/server/database'
import { createMemoryUsers, type FakeClock } from '@quillgate/trusted-devices/testing'
import { Kysely } from 'kysely'
import { openConnections } from '../../../markdown-editor/test/media/kill/failpoints/connections.ts'
import { MortalDialect } from '../../../markdown-editor/test/media/kill/failpoints/mortal-dialect.ts'
import { MortalProcess } from '../../../markdown-editor/test/media/kill/failpoints/mortal-process.ts'
import { createDevices, type TestDevices, type TestSettings } from '../support/create-devices.ts'
import { PLACES, SECRET } from '../support/house.ts'
import { connectAll } from './received-event.ts'
import type { Environment } from './world.ts'

/** One process of an application. */
export interface Application {
  readonly devices: TestDevices
  readonly clock: FakeClock
  readonly sql: SqlExecutor
  close(): Promise<void>
  /** Ends the process by breaking its connections. */
  cut(): void
}

/** @param isHealthy false if the receivers of the process throw */
export async function startApplication(
  environment: Environment,
  process: MortalProcess = new MortalProcess(null),
  settings: TestSettings = {},
  isHealthy = true,
): Promise<Application> {
  const connections = openConnections(environment.engine, environment.url)
  const kysely = new Kysely<unknown>({ dialect: new MortalDialect(connections.dialect, process) })
  const database = openDatabase(kysely)
  const devices = createDevices({
    secret: SECRET,
    database: kysely,
    migrate: false, // The tables already exist.
    users: createMemoryUsers([
      { id: '1', username: 'ada', password: 'pw' },
      { id: '2', username: 'grace', password: 'pw' },
    ]),
    locate: (address) => PLACES[address] ?? null,
    clock: environment.clock,
    settings: {
      ...{
        loginRateLimit: null,
        refreshRateLimit: null,
        outbox: true,
        outboxInterval: null,
        outboxRetention: null,
        receiverTimeout: 60,
      },
      ...settings,
    },
    logger: { warn: () => {}, error: () => {} },
  })
  connectAll(devices.signals, (received) =>
    process.call(`receiver of ${received.signal}`, async () => {
      if (!isHealthy) throw new Error('no mail server')
      environment.received.push(received)
    }),
  )
  await devices.ready()
  return {
    devices,
    clock: environment.clock,
    sql: database.executor(database.kysely),
    async close() {
      await devices.close()
      await kysely.destroy()
    },
    cut: connections.cut,
  }
}
