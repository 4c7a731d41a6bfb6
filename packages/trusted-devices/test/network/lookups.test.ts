import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { sqliteEngine } from '@quillgate/server/testing'
import type { LocateFunction } from '@quillgate/trusted-devices'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser } from '../support/client.ts'
import { createDevices, type TestDevices, type TestSettings } from '../support/create-devices.ts'
import { type House, openHouse, SECRET } from '../support/house.ts'

let house: House
let warnings: string[]
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
  warnings = []
})
afterEach(() => house.close())

function open(locate: LocateFunction, settings: TestSettings = {}): TestDevices {
  const logger = {
    warn: (_: string, error?: unknown) => void warnings.push(String(error)),
    error: () => {},
  }
  return house.reopenWith({ locate, logger, settings: { ...house.settings, ...settings } })
}

/** The country of the new device. */
async function login(devices: TestDevices, address: string): Promise<string | null | undefined> {
  const client = new BearerClient(devices, address)
  expect((await client.login()).status).toBe(200)
  return (await devices.registry.list('1', { limit: 100 })).devices.find(
    ({ uid }) => uid === client.uid,
  )?.country
}

describe('what a function says about an address', () => {
  it.each([
    ['a place', { country: 'CH' }, 'CH'],
    ['that it is unknown (S09)', null, null],
  ])('counts for locateCacheTtl: %s', async (_what, answer, country) => {
    const asked: string[] = []
    const devices = open((address) => {
      asked.push(address)
      return answer
    })
    for (let count = 0; count < 3; count++) expect(await login(devices, '8.8.8.8')).toBe(country)
    expect(await login(devices, '8.8.4.4')).toBe(country)
    expect(asked).toEqual(['8.8.8.8', '8.8.4.4'])
    house.clock.advance(60_000)
    await login(devices, '8.8.8.8')
    expect(asked).toEqual(['8.8.8.8', '8.8.4.4', '8.8.8.8'])
  })

  it('counts once only with locateCacheTtl 0', async () => {
    let asked = 0
    const devices = open(() => ({ country: ['CH', 'AT'][asked++] ?? null }), { locateCacheTtl: 0 })
    expect([await login(devices, '8.8.8.8'), await login(devices, '8.8.8.8')]).toEqual(['CH', 'AT'])
  })

  it('counts for logins at the same moment: one question', async () => {
    let asked = 0
    const devices = open(async () => {
      asked++
      await new Promise((resolve) => setTimeout(resolve, 20))
      return { country: 'CH' }
    })
    const countries = await Promise.all(Array.from({ length: 5 }, () => login(devices, '8.8.8.8')))
    expect(countries).toEqual(Array(5).fill('CH'))
    expect(asked).toBe(1)
  })

  it('is unknown for a while after a failure, which is told once', async () => {
    const devices = open(() => Promise.reject(new Error('quota')))
    for (let count = 0; count < 3; count++) expect(await login(devices, '8.8.8.8')).toBeNull()
    expect(warnings).toEqual(['Error: quota'])
  })
})

describe('a provider that hangs', () => {
  it('is told to give up, and the login goes on', async () => {
    const signals: AbortSignal[] = []
    const devices = open(
      (_address, _context, { signal }) => {
        signals.push(signal)
        return new Promise(() => {})
      },
      { locateTimeout: 0.01 },
    )
    expect(await login(devices, '8.8.8.8')).toBeNull()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(warnings).toHaveLength(1)
  })

  it('gets no more than 32 questions at once, and logins beyond them do not wait', async () => {
    let isBack = false
    let asked = 0
    const devices = open(
      () => {
        asked++
        return isBack ? { country: 'CH' } : new Promise(() => {})
      },
      { locateTimeout: 2 },
    )
    const hosts = Array.from({ length: 40 }, (_, host) => `8.8.8.${host + 1}`)
    const countries = await Promise.all(hosts.map((address) => login(devices, address)))
    expect(countries).toEqual(hosts.map(() => null))
    expect(asked).toBe(32)
    expect(warnings.filter((warning) => warning.includes('32 lookups'))).toHaveLength(8)
    isBack = true
    expect(await login(devices, '9.9.9.9')).toBe('CH')
  })
})

describe('without locate', () => {
  it('nobody is asked: a login, its use, its end and a cleanup open no connection', async () => {
    const opened: unknown[] = []
    const note = (message: unknown): void => void opened.push(message)
    const channels = [
      'net.client.socket',
      'undici:request:create',
      'http.client.request.start',
      'udp.socket',
    ]
    for (const channel of channels) subscribe(channel, note)
    try {
      const devices = createDevices({
        secret: SECRET,
        database: house.url,
        users: house.users,
      })
      const browser = new Browser(devices, { address: '8.8.8.8' })
      const { device } = await browser.login()
      await browser.visit()
      await devices.users.export('1')
      await devices.registry.cleanup()
      await devices.registry.revokeAll('1')
      await devices.users.erase('1')
      await devices.close()
      expect(device).toMatchObject({ address: '8.8.8.8', country: null, city: null })
      expect(opened).toEqual([])
      await fetch('http://127.0.0.1:59999/').catch(() => {})
      expect(opened).not.toEqual([]) // The test itself can see.
    } finally {
      for (const channel of channels) unsubscribe(channel, note)
    }
  })
})
