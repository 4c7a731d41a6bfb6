import { ConfigurationError } from '@quillgate/server/core'
import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, problemOf, send } from '../support/client.ts'
import { createDevices } from '../support/create-devices.ts'
import { type House, openHouse, SECRET } from '../support/house.ts'

const APP = 'https://app.example.com'

let house: House
beforeEach(async () => {
  house = await openHouse(sqliteEngine(), {}, { cors: { origins: [APP], credentials: true } })
})
afterEach(() => house.close())

describe('cors', () => {
  it('lets a bearer client of a listed origin sign in and read', async () => {
    const preflight = await send(house.devices, 'OPTIONS', '/trusted-devices/token', {
      headers: { origin: APP, 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'POST, OPTIONS',
    ])
    const client = new BearerClient(house.devices)
    await client.login()
    const list = await client.send('GET', '/trusted-devices', { headers: { origin: APP } })
    expect([list.status, list.headers.get('access-control-allow-origin')]).toEqual([200, APP])
    const unauthenticated = await send(house.devices, 'GET', '/trusted-devices', {
      headers: { origin: APP },
    })
    expect(unauthenticated.headers.get('access-control-expose-headers')).toContain(
      'www-authenticate',
    )
    expect(await problemOf(unauthenticated)).toBe('401 authentication_required')
  })

  it('sends no CORS headers to another origin', async () => {
    const response = await send(house.devices, 'GET', '/trusted-devices', {
      headers: { origin: 'https://evil.example' },
    })
    expect(
      [...response.headers.keys()].filter((name) => name.startsWith('access-control')),
    ).toEqual([])
    expect(response.headers.get('vary')).toBe('origin')
  })

  it('does not allow requests with cookies from a listed origin', async () => {
    const browser = new Browser(house.devices)
    await browser.login()
    const response = await browser.send('POST', '/trusted-devices/logout', {
      headers: { origin: APP },
    })
    expect(await problemOf(response)).toBe('403 csrf_failed')
  })

  it('is off by default, and is validated at start', async () => {
    const options = { secret: SECRET, database: 'sqlite::memory:', users: house.users }
    const devices = createDevices(options)
    expect(await problemOf(await send(devices, 'OPTIONS', '/trusted-devices'))).toBe(
      '405 method_not_allowed',
    )
    expect(() =>
      createDevices({ ...options, cors: { origins: ['*'], credentials: true } }),
    ).toThrow(ConfigurationError)
    await devices.close()
  })
})
