import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, problemOf, send } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

let house: House
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
})
afterEach(() => house.close())

describe('loginRateLimit', () => {
  it('applies per address, and per /64 for IPv6', async () => {
    const devices = house.reopen({ loginRateLimit: '5/minute' })
    const statusFrom = async (address: string, username: string): Promise<Response> =>
      new BearerClient(devices, address).login(username, 'no')
    for (let index = 0; index < 5; index++) await statusFrom(`2001:db8::${index}`, `user${index}`)
    const limited = await statusFrom('2001:db8::ffff', 'user9')
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await problemOf(limited)).toBe('429 rate_limited')
    expect((await statusFrom('2001:db8:0:1::1', 'user9')).status).toBe(401)
    house.clock.advance(60_000)
    expect((await statusFrom('2001:db8::ffff', 'user9')).status).toBe(401)
  })

  it('ignores forwarded headers of untrusted clients (S05)', async () => {
    const devices = house.reopen({ loginRateLimit: '5/minute' })
    const statuses = []
    for (let index = 0; index < 6; index++) {
      const response = await send(devices, 'POST', '/trusted-devices/token', {
        address: '198.51.100.1',
        headers: { 'x-forwarded-for': `203.0.113.${index}`, forwarded: `for=203.0.113.${index}` },
        json: { username: `user${index}`, password: 'no' },
      })
      statuses.push(response.status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('applies to reauthenticate', async () => {
    const devices = house.reopen({ loginRateLimit: '2/minute' })
    const client = new BearerClient(devices)
    await client.login()
    const statuses = []
    for (let index = 0; index < 3; index++) {
      statuses.push(
        (await client.send('POST', '/trusted-devices/reauthenticate', { json: { password: 'no' } }))
          .status,
      )
    }
    expect(statuses).toEqual([401, 401, 429])
  })
})
