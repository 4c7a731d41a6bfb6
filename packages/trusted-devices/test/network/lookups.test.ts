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

async function login(devices: TestDevices, address: string): Promise<string | null | undefined> {
  const client = new BearerClient(devices, address)
  expect((await client.login()).status).toBe(200)
  return (await devices.registry.list('1', { limit: 100 })).devices.find(
    ({ uid }) => uid === client.uid,
  )?.country
}

describe('a location provider that hangs', () => {
  it('is aborted, and the login succeeds', async () => {
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
})

describe('an instance without locate', () => {
  it('opens no connection for a login, a request, an export, a cleanup and an erasure', async () => {
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
      expect(opened).not.toEqual([]) // The test does detect new connections.
    } finally {
      for (const channel of channels) unsubscribe(channel, note)
    }
  })
})
