import {
  postgresEngine,
  sqliteEngine,
  type TestEngine,
  testServers,
  whyUnavailable,
} from '@quillgate/server/testing'
import type { RevocationChannel, RevocationListener } from '@quillgate/trusted-devices'
import { postgresRevocations } from '@quillgate/trusted-devices/postgres'
import { redisRevocations } from '@quillgate/trusted-devices/redis'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../../../server/test/database/fixtures/tcp-proxy.ts'
import { Browser } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const servers = testServers()
const REDIS = process.env['QUILLGATE_TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'
const NAME = `nodes-${process.pid}`
const SOON = { timeout: 10_000, interval: 2 }
/** Longer than any test: what another node sees, it sees by a message. */
const settings = { deviceCacheTtl: 86_400 }

let house: House
let close: (() => unknown)[]
beforeEach(() => {
  close = []
})
afterEach(async () => {
  await house.close() // Before the connections that it was lent.
  for (const each of close.toReversed()) await each()
})

/** Two nodes with a browser that the second one remembers. */
async function twoNodes(
  engine: TestEngine,
  channelFor: (node: number, url: string) => RevocationChannel,
  { deviceCacheTtl } = settings,
) {
  house = await openHouse(engine, { deviceCacheTtl })
  const warnings: string[] = []
  const logger = { warn: (message: string) => void warnings.push(message), error: () => {} }
  const nodes: TestDevices[] = []
  for (const node of [0, 1])
    nodes.push(house.reopenWith({ revocations: channelFor(node, house.url), logger }))
  const [here, there] = nodes as [TestDevices, TestDevices]
  for (const node of nodes) await node.ready()
  const rememberedOn = async (node: TestDevices): Promise<Browser> => {
    const browser = new Browser(node)
    await browser.login()
    await expect(browser.visit()).resolves.not.toBeNull()
    return browser
  }
  return { here, there, warnings, rememberedOn }
}

const isSignedIn = async (browser: Browser): Promise<boolean> => (await browser.visit()) !== null
const isSignedOut = (browser: Browser): Promise<void> =>
  vi.waitFor(async () => expect(await isSignedIn(browser)).toBe(false), SOON)

const openPool = (): pg.Pool => {
  const pool = new pg.Pool({ connectionString: servers.postgres, max: 4, application_name: NAME })
  pool.on('error', () => {})
  close.push(() => pool.end())
  return pool
}
const openRedis = (port?: number): Redis => {
  const redis =
    port === undefined
      ? new Redis(REDIS)
      : new Redis(port, '127.0.0.1', { retryStrategy: () => 20 })
  redis.on('error', () => {})
  close.push(() => redis.disconnect())
  return redis
}

const proxyTo = async (url: string): Promise<TcpProxy> => {
  const proxy = await startTcpProxy(Number(new URL(url).port || 6379))
  close.push(() => proxy.close())
  return proxy
}

const isPostgresThere = (await whyUnavailable(servers.postgres)) === null
const isRedisThere = await answers()
async function answers(): Promise<boolean> {
  const redis = new Redis(REDIS, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  redis.on('error', () => {})
  const reply = await redis.ping().catch(() => null)
  redis.disconnect()
  return reply === 'PONG'
}
if (process.env['QUILLGATE_REQUIRE_SERVICES'] === '1' && !(isPostgresThere && isRedisThere)) {
  throw new Error('PostgreSQL or Redis does not answer.')
}

const channels = [
  ['NOTIFY', isPostgresThere, () => postgresEngine(servers.postgres), postgresByUrl],
  [
    'NOTIFY beside SQLite',
    isPostgresThere,
    sqliteEngine,
    () => postgresRevocations(servers.postgres),
  ],
  ['Redis', isRedisThere, sqliteEngine, redis],
  ['Redis with the other package', isRedisThere, sqliteEngine, nodeRedis],
] as const

function postgresByUrl(_node: number, url: string): RevocationChannel {
  return postgresRevocations(url)
}
function redis(): RevocationChannel {
  const publisher = openRedis()
  const subscriber = publisher.duplicate()
  close.push(() => subscriber.disconnect())
  return redisRevocations(publisher, subscriber)
}
/** The package `redis` listens by a function for each channel; the protocol is spoken by ioredis here too. */
function nodeRedis(): RevocationChannel {
  const [publisher, subscriber] = [openRedis(), openRedis()]
  const listeners = new Map<string, Set<(message: string) => void>>()
  subscriber.on('message', (channel: string, message: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(message)
  })
  return redisRevocations(publisher, {
    publish: (channel: string, message: string) => publisher.publish(channel, message),
    subscribe(channel: string, listener: (message: string) => void) {
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener))
      return subscriber.subscribe(channel)
    },
    unsubscribe: (channel: string) => subscriber.unsubscribe(channel),
    on: (event: 'ready', listener: () => void) => subscriber.on(event, listener),
    off: (event: 'ready', listener: () => void) => subscriber.off(event, listener),
  })
}

for (const [name, isThere, engine, channel] of channels) {
  describe.skipIf(!isThere)(`revocations by ${name}`, () => {
    it('are seen by another node that remembers the device', async () => {
      const { here, there, rememberedOn, warnings } = await twoNodes(engine(), channel)
      const browser = await rememberedOn(there)
      const other = await rememberedOn(there)
      await house.sql.execute("UPDATE quillgate_device SET name = 'behind their backs'")
      expect((await browser.visit())?.device.name).toBe('Firefox on Linux') // It is remembered indeed.
      const { device } = (await browser.visit()) ?? {}
      await here.registry.revoke('1', device?.uid ?? '')
      await isSignedOut(browser)
      expect(await isSignedIn(other)).toBe(true)
      expect(warnings).toEqual([])
    })

    it('of every kind are: all devices, a deleted user, an edit, another login', async () => {
      const { here, there, rememberedOn } = await twoNodes(engine(), channel)
      const [first, second] = [await rememberedOn(there), await rememberedOn(there)]
      await here.registry.revokeAll('1')
      await isSignedOut(first)
      await isSignedOut(second)

      const edited = await rememberedOn(there)
      const { device } = (await edited.visit()) ?? {}
      await here.registry.editAs({ userId: '1', uid: device?.uid ?? '' }, device?.uid ?? '', {
        name: 'renamed',
      })
      await vi.waitFor(
        async () => expect((await edited.visit())?.device.name).toBe('renamed'),
        SOON,
      )

      const copy = edited.copy()
      house.clock.advance(60_000)
      Object.assign(edited, { devices: here })
      await edited.login() // The session before it is over.
      await isSignedOut(copy)

      Object.assign(edited, { devices: there })
      expect(await isSignedIn(edited)).toBe(true)
      await here.users.deleted('1')
      await isSignedOut(edited)
    })
  })
}

describe.skipIf(!isPostgresThere)('the listening connection to PostgreSQL', () => {
  it('that the server ends is made anew, and nothing from before is trusted', async () => {
    const url = new URL(servers.postgres)
    url.searchParams.set('application_name', `${NAME}-there`)
    const { here, there, rememberedOn } = await twoNodes(sqliteEngine(), (node) =>
      postgresRevocations(node === 0 ? servers.postgres : url.href),
    )
    const browser = await rememberedOn(there)
    const admin = openPool()
    const { rows } = await admin.query(
      'SELECT pid FROM pg_stat_activity WHERE application_name = $1',
      [`${NAME}-there`],
    )
    expect(rows).toHaveLength(1)
    // The node does not get the message of this one.
    await admin.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
    await here.registry.revokeAll('1')
    await isSignedOut(browser)
    const next = await rememberedOn(there)
    await here.registry.revokeAll('1')
    await isSignedOut(next)
  })

  it('is not needed: without one the instance starts, works, and says so once', async () => {
    const { here, there, warnings, rememberedOn } = await twoNodes(sqliteEngine(), () =>
      postgresRevocations('postgres://nobody@127.0.0.1:1/nothing'),
    )
    const browser = await rememberedOn(there)
    await here.registry.revokeAll('1')
    await here.registry.revokeAll('1')
    house.clock.advance(settings.deviceCacheTtl * 1000)
    expect(await isSignedIn(browser)).toBe(false)
    expect(warnings.filter((line) => line.includes('up to 5 s'))).toHaveLength(2) // Once for each node.
  })

  it('a change that is rolled back sends no message', async () => {
    const { here, rememberedOn, there } = await twoNodes(
      postgresEngine(servers.postgres),
      postgresByUrl,
    )
    const browser = await rememberedOn(there)
    const heard: string[] = []
    const listener = await openPool().connect()
    listener.on('notification', ({ payload }) => void heard.push(payload ?? ''))
    await listener.query('LISTEN quillgate_revocations')
    const { device } = (await browser.visit()) ?? {}
    await house.sql.execute(
      "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'no'; END $$ LANGUAGE plpgsql",
    )
    await house.sql.execute(
      'CREATE CONSTRAINT TRIGGER late AFTER DELETE ON quillgate_device DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()',
    )
    await expect(here.registry.revoke('1', device?.uid ?? '')).rejects.toThrow() // At the commit.
    await house.sql.execute('DROP TRIGGER late ON quillgate_device')
    await here.registry.revoke('1', device?.uid ?? '')
    await vi.waitFor(
      () => expect(heard.filter((text) => text.includes(device?.uid ?? '-'))).toHaveLength(1),
      SOON,
    )
    listener.release(true)
  })
})

describe.skipIf(!isRedisThere)('the connection to Redis', () => {
  it('that is killed comes back, and nothing from before is trusted', async () => {
    const proxy = await proxyTo(REDIS)
    const { here, there, rememberedOn } = await twoNodes(sqliteEngine(), (node) =>
      node === 0 ? redis() : redisRevocations(openRedis(), openRedis(proxy.port)),
    )
    const browser = await rememberedOn(there)
    proxy.cut()
    await here.registry.revokeAll('1')
    await isSignedOut(browser)
    const next = await rememberedOn(there)
    const admin = openRedis()
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await here.registry.revokeAll('1')
    await isSignedOut(next)
  })
})

describe('a channel that loses messages', () => {
  it('costs deviceCacheTtl, and no more', async () => {
    const listeners: RevocationListener[] = []
    const lossy = (): RevocationChannel => ({
      open: (_name, listener) => {
        listeners.push(listener)
        listener.onListening()
      },
      publish: async () => {},
      close: async () => {},
    })
    const { here, there, rememberedOn } = await twoNodes(sqliteEngine(), lossy, {
      deviceCacheTtl: 50,
    })
    const browser = await rememberedOn(there)
    await here.registry.revokeAll('1')
    expect(await isSignedIn(browser)).toBe(true) // Or this test would prove nothing.
    house.clock.advance(49_999)
    expect(await isSignedIn(browser)).toBe(true)
    house.clock.advance(1)
    expect(await isSignedIn(browser)).toBe(false)
  })
})
