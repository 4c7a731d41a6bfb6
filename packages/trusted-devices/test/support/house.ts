import type { Logger } from '@quillgate/server/core'
import type { MigrationSet, SqlExecutor } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { deviceMigrations } from '@quillgate/trusted-devices'
import {
  deviceCompromised,
  deviceCreated,
  deviceRevoked,
  suspiciousLogin,
} from '@quillgate/trusted-devices/signals'
import {
  createFakeClock,
  createMemoryUsers,
  type FakeClock,
  type MemoryUsers,
  recordSignals,
  type SignalRecorder,
} from '@quillgate/trusted-devices/testing'
import {
  createDevices,
  type TestDevices,
  type TestDevicesOptions,
  type TestSettings,
} from './create-devices.ts'

export const QUIET: Logger = { warn() {}, error() {} }

export const SECRET = 'a secret of at least thirty-two bytes'

/** A test environment: an instance of trusted devices, a clock, users and a database. */
export interface House {
  readonly devices: TestDevices
  readonly clock: FakeClock
  readonly users: MemoryUsers
  /** The signals of all instances. */
  readonly signals: SignalRecorder
  readonly url: string
  readonly sql: SqlExecutor
  /** Opens another instance on the same database. It acts as a second node or as a restart. */
  reopen(settings?: TestSettings): TestDevices
  reopenWith(options: Partial<TestDevicesOptions>): TestDevices
  readonly secret: string
  readonly settings: TestSettings
  close(): Promise<void>
}

export const PLACES: Readonly<Record<string, { city: string; country: string }>> = {
  '203.0.113.10': { city: 'Berlin', country: 'DE' },
  '203.0.113.20': { city: 'Munich', country: 'DE' },
  '198.51.100.7': { city: 'Paris', country: 'FR' },
  '192.0.2.44': { city: 'Tokyo', country: 'JP' },
}

/**
 * Opens an instance with the users ada and grace (password `pw`), a clock that does not advance,
 * and no rate limits.
 */
export async function openHouse(
  engine: TestEngine,
  settings: TestSettings = {},
  more: Partial<TestDevicesOptions> = {},
  onOpen: (devices: TestDevices) => void = () => {},
  migrations: readonly MigrationSet[] = [deviceMigrations],
): Promise<House> {
  const test = more.migrate === false ? await engine.open() : await engine.openMigrated(migrations)
  const clock = createFakeClock()
  const users = createMemoryUsers([
    { id: '1', username: 'ada', password: 'pw' },
    { id: '2', username: 'grace', password: 'pw' },
  ])
  const options: TestDevicesOptions = {
    secret: SECRET,
    database: test.url,
    users,
    clock,
    locate: (address) => PLACES[address] ?? null,
    logger: { warn: () => {}, error: (message, error) => console.error(message, error) },
    settings: { loginRateLimit: null, refreshRateLimit: null, ...settings },
    ...more,
  }
  const opened: TestDevices[] = []
  const signals = recordSignals({
    deviceCreated,
    deviceRevoked,
    suspiciousLogin,
    deviceCompromised,
  })
  const open = (changed: Partial<TestDevicesOptions> = {}): TestDevices => {
    const devices = createDevices({ ...options, ...changed })
    onOpen(devices)
    opened.push(devices)
    return devices
  }
  const devices = open()
  await devices.ready()
  return {
    devices,
    clock,
    users,
    signals,
    url: test.url,
    sql: test.database.executor(test.database.kysely),
    reopen: (changed = {}) => open({ settings: { ...options.settings, ...changed } }),
    reopenWith: open,
    secret: SECRET,
    settings: options.settings ?? {},
    async close() {
      signals.stop()
      for (const each of opened) await each.close()
      await test.close()
    },
  }
}
