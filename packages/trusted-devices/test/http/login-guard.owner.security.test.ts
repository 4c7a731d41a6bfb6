import { createRateLimiter, type RateStore } from '@quillgate/server/http'
import { sqliteEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMemoryRateStore } from '../../../server/src/http/rate-limit/memory-rate-store.ts'
import { accountKey } from '../../src/http/tokens/account-key.ts'
import { createDerivedTokens } from '../../src/tokens/derived-token.ts'
import { createDeviceCredentials } from '../../src/tokens/device-credential.ts'
import { BearerClient } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const HOME = '203.0.113.10'

let house: House
let devices: TestDevices
beforeEach(async () => {
  house = await openHouse(sqliteEngine(), { loginRateLimit: '5/minute' })
  devices = house.devices
})
afterEach(() => house.close())

const guess = async (address: string, username = 'ada', credential?: string): Promise<number> => {
  const stranger = new BearerClient(devices, address)
  stranger.credential = credential
  return (await stranger.login(username, 'wrong')).status
}

describe('an owner behind the address of others', () => {
  it('is not locked out by their tries, whatever credentials these bring', async () => {
    const owner = new BearerClient(devices, HOME)
    await owner.login()
    const forged = `${owner.credential?.slice(0, -8)}AAAAAAAA`
    const grace = new BearerClient(devices, '203.0.113.20')
    await grace.login('grace')
    for (let index = 0; index < 300; index++) {
      await guess(
        HOME,
        index % 2 === 0 ? 'ada' : 'grace',
        [undefined, forged, grace.credential, 'x'][index % 4],
      )
    }
    expect(await guess(HOME)).toBe(429)
    expect((await new BearerClient(devices, HOME).login()).status).toBe(429)
    expect((await owner.login()).status).toBe(200)
  })

  it('is not locked out by a thief with an old copy of the credential', async () => {
    const owner = new BearerClient(devices, HOME)
    await owner.login()
    const old = owner.credential
    await owner.login()
    await owner.login()
    for (let index = 0; index < 500; index++) await guess(HOME, 'ada', old)
    expect((await owner.login()).status).toBe(200)
  })

  it('may fail as often as a device may, and is asked by nobody’s limit but the own one', async () => {
    const owner = new BearerClient(devices, HOME)
    await owner.login()
    for (let index = 0; index < 5; index++)
      expect((await owner.login('ada', 'wrong')).status).toBe(401)
    expect((await owner.login()).status).toBe(429)
    // Nor did those tries count for others at this address.
    expect((await new BearerClient(devices, HOME).login('grace')).status).toBe(200)
  })

  it('has a limit for right passwords too', async () => {
    const owner = new BearerClient(devices, HOME)
    const statuses: number[] = []
    for (let index = 0; index < 102; index++) statuses.push((await owner.login()).status)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
    expect(statuses.slice(0, 100).every((status) => status === 200)).toBe(true)
  })
})

describe('device credentials', () => {
  const keys = [Buffer.alloc(32, 1)] as const
  const [first, marks, others] = [keys, [Buffer.alloc(32, 2)], [Buffer.alloc(32, 3)]] as const
  const claims = { uid: '01936b7e-5d2a-7c4e-8f3b-2a1d4c5e6f70', counter: 7 }

  it('that we did not make are told without asking whose they are', () => {
    const credentials = createDeviceCredentials([...first], [...marks])
    const token = credentials.issue(claims, '1')
    expect(credentials.read(token)).toMatchObject(claims)
    expect(credentials.parse(token, '1')).toMatchObject(claims)
    expect(credentials.parse(token, '2')).toBeNull()
    expect(createDeviceCredentials([...first], [...others]).read(token)).toBeNull()
    const bytes = Buffer.from(token, 'base64url')
    for (let index = 0; index < 25; index++) {
      const forged = Buffer.from(bytes)
      forged.writeUInt8(forged.readUInt8(index) ^ 1, index)
      expect(credentials.read(forged.toString('base64url'))).toBeNull()
    }
  })

  it('survive a new secret, and those of before there were marks still name their device', () => {
    const rotated = createDeviceCredentials(
      [Buffer.alloc(32, 9), ...first],
      [Buffer.alloc(32, 8), ...marks],
    )
    const token = createDeviceCredentials([...first], [...marks]).issue(claims, '1')
    expect(rotated.read(token)).toMatchObject(claims)
    expect(rotated.parse(token, '1')).toMatchObject(claims)
    const before = createDerivedTokens([...first]).issue({ ...claims, family: 0 }, '1')
    expect(rotated.read(before)).toBeNull()
    expect(rotated.parse(before, '1')).toMatchObject(claims)
  })
})

describe('a site with many IPv6 addresses', () => {
  /** Tries that pass, each from the next of so many /64s. */
  async function passed(networks: (index: number) => string, tries: number): Promise<number> {
    let count = 0
    for (let index = 0; index < tries; index++)
      if ((await guess(networks(index), `user${index}`)) === 401) count++
    return count
  }

  it('has twice the limit in one /56, and four times in one /48', async () => {
    expect(await passed((index) => `2001:db8:1:${(index % 40).toString(16)}::1`, 80)).toBe(10)
    expect(await passed((index) => `2001:db8:2:${((index % 40) * 256).toString(16)}::1`, 80)).toBe(
      20,
    )
    expect(await passed((index) => `2001:db8:${(index + 10).toString(16)}::1`, 40)).toBe(40)
  })

  it('cannot flush the limits of two /48 out of the memory', { timeout: 30_000 }, async () => {
    const rateLimiter = createRateLimiter({ store: createMemoryRateStore({ maxKeys: 200 }) })
    devices = house.reopenWith({ rateLimiter, settings: { loginRateLimit: '5/hour' } })
    expect(await passed((index) => `2001:db8:${index % 2}:${index.toString(16)}::1`, 1500)).toBe(40)
  })

  it('makes no new keys once its limit is used up', async () => {
    const store = createMemoryRateStore()
    const keys = new Set<string>()
    const penalty: RateStore['penalty'] = (key, points, options) => {
      keys.add(key)
      return store.penalty(key, points, options)
    }
    const rateLimiter = createRateLimiter({ store: { ...store, penalty } })
    devices = house.reopenWith({ rateLimiter, settings: { loginRateLimit: '5/hour' } })
    await passed((index) => `2001:db8:4:${(index * 256).toString(16)}::1`, 40)
    const used = keys.size
    await passed((index) => `2001:db8:4:${(index * 256 + 1).toString(16)}::1`, 40)
    expect(keys.size).toBe(used)
  })

  it('is not locked as a whole by one /64 that goes on', async () => {
    for (let index = 0; index < 100; index++) await guess('2001:db8:3::1')
    expect((await new BearerClient(devices, '2001:db8:3:1::1').login()).status).toBe(200)
  })
})

describe('spellings that databases take for one name', () => {
  it('share the limit of the account', async () => {
    const spellings = ['ada', ' ADA', 'ａｄａ', 'ädá', 'a d a ', 'ad\u00ada', 'àđa', 'AD\u0363']
    for (let index = 0; index < 100; index++) {
      expect(await guess(`198.51.100.${index}`, spellings[index % spellings.length])).toBe(401)
    }
    for (const spelling of spellings) expect(await guess('198.51.100.200', spelling)).toBe(429)
    expect((await new BearerClient(devices, '192.0.2.1').login('grace')).status).toBe(200)
  })

  it('do not let the device of one speak for another', async () => {
    house.users.set({ id: '3', username: 'adá', password: 'pw' })
    const namesake = new BearerClient(devices, '192.0.2.1')
    expect((await namesake.login('adá')).status).toBe(200)
    for (let index = 0; index < 100; index++) await guess(`198.51.100.${index}`)
    namesake.address = '192.0.2.2'
    expect((await namesake.login('ada', 'wrong')).status).toBe(429)
    expect((await namesake.login('adá')).status).toBe(200)
  })
})

describeDatabases(
  (engine) => {
    it('the key of an account joins all that collations join with letters and digits', async () => {
      const test = await engine.open<unknown>()
      const { query } = test.database.executor(test.database.kysely)
      const plain = [...'abcdefghijklmnopqrstuvwxyz0123456789', 'ae', 'oe', 'ss', 'th']
      const texts = plain
        .map((text) => `SELECT CONVERT('${text}' USING utf8mb4) AS b`)
        .join(' UNION ALL ')
      const missed: string[] = []
      try {
        for (const collation of [
          'utf8mb4_general_ci',
          'utf8mb4_unicode_ci',
          'utf8mb4_unicode_520_ci',
        ]) {
          for (let start = 0x80; start < 0xd800; start += 2000) {
            const points = Array.from(
              { length: Math.min(2000, 0xd800 - start) },
              (_, offset) => start + offset,
            )
            const characters = points.map(
              (point) => `SELECT CONVERT(CHAR(${point} USING utf32) USING utf8mb4) AS a`,
            )
            const rows =
              await query(`SELECT x.a, y.b FROM (${characters.join(' UNION ALL ')}) x JOIN (${texts}) y
              ON x.a COLLATE ${collation} = y.b COLLATE ${collation}`)
            for (const { a, b } of rows) {
              if (accountKey(String(a)) !== accountKey(String(b))) missed.push(`${a} is ${b}`)
            }
          }
        }
      } finally {
        await test.close()
      }
      expect(missed).toEqual([])
    }, 60_000)
  },
  ['mariadb'],
)
