import type { RateStore } from '@quillgate/server/http'
import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMemoryRateStore } from '../../../server/src/http/rate-limit/memory-rate-store.ts'
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

describe('an owner who shares an address with attackers', () => {
  it('is not locked out by their attempts, whatever credentials they send', async () => {
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

  it('is not locked out by a thief with an outdated credential', async () => {
    const owner = new BearerClient(devices, HOME)
    await owner.login()
    const old = owner.credential
    await owner.login()
    await owner.login()
    for (let index = 0; index < 500; index++) await guess(HOME, 'ada', old)
    expect((await owner.login()).status).toBe(200)
  })

  it('has a limit per device, which is separate from all other limits', async () => {
    const owner = new BearerClient(devices, HOME)
    await owner.login()
    for (let index = 0; index < 5; index++)
      expect((await owner.login('ada', 'wrong')).status).toBe(401)
    expect((await owner.login()).status).toBe(429)
    // The failures of this device do not count against other devices at its address.
    expect((await new BearerClient(devices, HOME).login('grace')).status).toBe(200)
  })

  it('has a limit for correct passwords too', async () => {
    const owner = new BearerClient(devices, HOME)
    const statuses: number[] = []
    for (let index = 0; index < 102; index++) statuses.push((await owner.login()).status)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
    expect(statuses.slice(0, 100).every((status) => status === 200)).toBe(true)
  })
})

describe('a site with many IPv6 addresses', () => {
  async function passed(networks: (index: number) => string, tries: number): Promise<number> {
    let count = 0
    for (let index = 0; index < tries; index++)
      if ((await guess(networks(index), `user${index}`)) === 401) count++
    return count
  }

  it('gets twice the limit in one /56, and four times in one /48', async () => {
    expect(await passed((index) => `2001:db8:1:${(index % 40).toString(16)}::1`, 80)).toBe(10)
    expect(await passed((index) => `2001:db8:2:${((index % 40) * 256).toString(16)}::1`, 80)).toBe(
      20,
    )
    expect(await passed((index) => `2001:db8:${(index + 10).toString(16)}::1`, 40)).toBe(40)
  })

  it('cannot evict the limits of two /48 from the memory', { timeout: 30_000 }, async () => {
    const rateLimiter = createMemoryRateStore({ maxKeys: 200 })
    devices = house.reopenWith({ rateLimiter, settings: { loginRateLimit: '5/hour' } })
    expect(await passed((index) => `2001:db8:${index % 2}:${index.toString(16)}::1`, 1500)).toBe(40)
  })

  it('creates no new keys after its limit is used up', async () => {
    const store = createMemoryRateStore()
    const keys = new Set<string>()
    const penalty: RateStore['penalty'] = (key, points, options) => {
      keys.add(key)
      return store.penalty(key, points, options)
    }
    const rateLimiter = { ...store, penalty }
    devices = house.reopenWith({ rateLimiter, settings: { loginRateLimit: '5/hour' } })
    await passed((index) => `2001:db8:4:${(index * 256).toString(16)}::1`, 40)
    const used = keys.size
    await passed((index) => `2001:db8:4:${(index * 256 + 1).toString(16)}::1`, 40)
    expect(keys.size).toBe(used)
  })

  it('is not locked as a whole by one /64 that continues after its limit', async () => {
    for (let index = 0; index < 100; index++) await guess('2001:db8:3::1')
    expect((await new BearerClient(devices, '2001:db8:3:1::1').login()).status).toBe(200)
  })
})

describe('spellings that a database may treat as one name', () => {
  it('share the limit of the account', async () => {
    const spellings = ['ada', ' ADA', 'ａｄａ', 'ädá', 'a d a ', 'ad\u00ada']
    for (let index = 0; index < 100; index++) {
      expect(await guess(`198.51.100.${index}`, spellings[index % spellings.length])).toBe(401)
    }
    for (const spelling of spellings) expect(await guess('198.51.100.200', spelling)).toBe(429)
    expect((await new BearerClient(devices, '192.0.2.1').login('grace')).status).toBe(200)
  })

  it('do not share the devices of the account', async () => {
    house.users.set({ id: '3', username: 'adá', password: 'pw' })
    const namesake = new BearerClient(devices, '192.0.2.1')
    expect((await namesake.login('adá')).status).toBe(200)
    for (let index = 0; index < 100; index++) await guess(`198.51.100.${index}`)
    namesake.address = '192.0.2.2'
    expect((await namesake.login('ada', 'wrong')).status).toBe(429)
    expect((await namesake.login('adá')).status).toBe(200)
  })
})
