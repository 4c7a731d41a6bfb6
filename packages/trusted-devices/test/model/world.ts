import type { SqlExecutor } from '@quillgate/server/database'
import type { TestEngine } from '@quillgate/server/testing'
import { deviceMigrations } from '@quillgate/trusted-devices'
import {
  createFakeClock,
  createMemoryUsers,
  type FakeClock,
  type MemoryUsers,
  type RecordedSignal,
  recordSignals,
  type SignalRecorder,
} from '@quillgate/trusted-devices/testing'
import { createDevices, type TestDevices, type TestSettings } from '../support/create-devices.ts'
import { SECRET } from '../support/house.ts'
import { COMMON } from './settings.ts'
import type { Position } from './specification.ts'
import { CLIENTS, USERS } from './steps.ts'

export interface HeldToken extends Position {
  readonly token: string
  /** The expiry of an access token, in seconds since the epoch. */
  readonly expires: number
}

export interface HeldCredential {
  readonly token: string
  readonly user: string
  readonly uid: string
  readonly counter: number
}

/** A client that keeps every token, like a thief. The newest token is the last one. */
export interface Client {
  readonly access: HeldToken[]
  readonly refresh: HeldToken[]
  readonly credentials: HeldCredential[]
}

/** Addresses and their countries. The last address has no country. */
export const PLACES = [
  ['203.0.113.10', 'DE'],
  ['203.0.113.20', 'DE'],
  ['198.51.100.7', 'FR'],
  ['192.0.2.44', 'JP'],
  ['192.0.2.99', null],
] as const

const SAYS: ReadonlyMap<string, string | null> = new Map(PLACES)

/** One database with any number of nodes. */
export interface World {
  readonly clock: FakeClock
  readonly users: MemoryUsers
  /** Returns the signals of all nodes since the last call. */
  takeSignals(): RecordedSignal[]
  readonly sql: SqlExecutor
  /**
   * Returns a node with these settings. The same settings and the same `extra` give the same node.
   */
  node(settings: TestSettings, extra?: number): TestDevices
  newUsers(): string[]
  close(): Promise<void>
}

export async function openWorld(engine: TestEngine, common: TestSettings = COMMON): Promise<World> {
  const test = await engine.openMigrated([deviceMigrations])
  const clock = createFakeClock()
  const users = createMemoryUsers([])
  const nodes = new Map<string, TestDevices>()
  const recorders: SignalRecorder[] = []
  let generation = 0

  function createNode(settings: TestSettings): TestDevices {
    return createDevices({
      secret: SECRET,
      database: test.database.kysely,
      users,
      clock,
      locate: (address) => {
        const country = SAYS.get(address)
        return country ? { country, city: null } : null
      },
      logger: { warn: () => {}, error: (message, error) => console.error(message, error) },
      settings: { ...common, ...settings },
    })
  }
  const world: World = {
    clock,
    users,
    takeSignals: () => recorders.flatMap((recorder) => recorder.take()),
    sql: test.database.executor(test.database.kysely),
    node(settings, extra = 0) {
      const key = `${extra}${JSON.stringify(settings)}`
      const known = nodes.get(key)
      if (known) return known
      const node = createNode(settings)
      nodes.set(key, node)
      recorders.push(recordSignals(node.signals))
      return node
    },
    newUsers() {
      const ids = Array.from({ length: USERS }, (_, index) => `u${generation}-${index}`)
      generation++
      for (const id of ids) users.set({ id, username: id, password: 'pw' })
      return ids
    },
    async close() {
      for (const node of nodes.values()) await node.close()
      await test.close()
    },
  }
  await world.node({}).ready()
  return world
}

export function newClients(): Client[] {
  return Array.from({ length: CLIENTS }, () => ({ access: [], refresh: [], credentials: [] }))
}
