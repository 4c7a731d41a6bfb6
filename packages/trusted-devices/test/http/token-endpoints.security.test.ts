import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, problemOf, send } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const REFRESH = '/trusted-devices/token/refresh'
const VERIFY = '/trusted-devices/token/verify'

let house: House
beforeEach(async () => {
  house = await openHouse(sqliteEngine(), { refreshRateLimit: '5/minute' })
})
afterEach(() => house.close())

const refresh = async (token: string, address = '203.0.113.10') =>
  problemOf(await send(house.devices, 'POST', REFRESH, { address, json: { refresh: token } }))
const verify = async (token: string, address = '203.0.113.10') =>
  (await send(house.devices, 'POST', VERIFY, { address, json: { token } })).status

describe('refreshRateLimit', () => {
  it('limits the refreshes of one device over all addresses, and of no other device', async () => {
    const client = new BearerClient(house.devices)
    const other = new BearerClient(house.devices)
    await client.login()
    await other.login()
    for (let index = 0; index < 5; index++) {
      client.address = `198.51.100.${index}`
      expect((await client.refreshTokens()).status).toBe(200)
    }
    const limited = await client.refreshTokens()
    expect(limited.headers.get('retry-after')).toBe('60')
    expect(await problemOf(limited)).toBe('429 rate_limited')
    expect((await other.refreshTokens()).status).toBe(200)
    house.clock.advance(60_000)
    expect((await client.refreshTokens()).status).toBe(200)
  })

  it('limits an account with many devices', async () => {
    let passed = 0
    for (let device = 0; device < 21; device++) {
      const client = new BearerClient(house.devices)
      await client.login()
      for (let index = 0; index < 5; index++)
        passed += (await client.refreshTokens()).status === 200 ? 1 : 0
    }
    expect(passed).toBe(100)
    const grace = new BearerClient(house.devices)
    await grace.login('grace')
    expect((await grace.refreshTokens()).status).toBe(200)
  })

  it('limits forged tokens per address or IPv6 network, and no valid tokens there', async () => {
    const client = new BearerClient(house.devices, '2001:db8:1:2::9')
    await client.login()
    for (let index = 0; index < 5; index++) {
      expect(await refresh('forged', `2001:db8:1:2::${index}`)).toBe('401 token_invalid')
    }
    expect(await refresh('forged', '2001:db8:1:2:ffff::1')).toBe('429 rate_limited')
    expect(await verify('forged', '2001:db8:1:2:ffff::1')).toBe(429)
    expect(await refresh('forged', '2001:db8:1:3::1')).toBe('401 token_invalid')
    expect((await client.refreshTokens()).status).toBe(200)
    expect(await verify(client.access, client.address)).toBe(200)
  })

  it('allows an IPv6 site twice the limit of forged tokens in one /56, and four times in one /48', async () => {
    const passed = async (networks: (index: number) => string) => {
      const codes = []
      for (let index = 0; index < 40; index++) codes.push(await refresh('forged', networks(index)))
      return codes.filter((code) => code === '401 token_invalid').length
    }
    expect(await passed((index) => `2001:db8:1:${index.toString(16)}::1`)).toBe(10)
    expect(await passed((index) => `2001:db8:2:${(index * 256).toString(16)}::1`)).toBe(20)
  })

  it('does not count expired tokens against the address of a gateway', async () => {
    const client = new BearerClient(house.devices)
    await client.login()
    house.clock.advance(600_000)
    for (let index = 0; index < 10; index++) expect(await verify(client.access)).toBe(401)
  })

  it('lets a gateway verify twenty times as often', async () => {
    const client = new BearerClient(house.devices)
    await client.login()
    for (let index = 0; index < 100; index++) expect(await verify(client.access)).toBe(200)
    expect(await verify(client.refresh)).toBe(429)
    expect((await client.refreshTokens()).status).toBe(200)
  })

  it('does not prevent a reused token from revoking its device', async () => {
    const client = new BearerClient(house.devices)
    await client.login()
    const stolen = client.refresh
    await client.refreshTokens()
    await client.refreshTokens()
    await client.send('GET', '/trusted-devices')
    expect(await refresh(stolen)).toBe('401 token_reused')
  })
})

describe('POST /trusted-devices/reauthenticate', () => {
  it('limits failures per address, over many accounts', async () => {
    const devices = house.reopen({ loginRateLimit: '5/minute' })
    const path = '/trusted-devices/reauthenticate'
    const statuses: number[] = []
    const clients: BearerClient[] = []
    for (let index = 0; index < 22; index++) {
      const id = `u${index}`
      house.users.set({ id, username: id, password: 'pw' })
      const client = new BearerClient(devices, `198.51.100.${index}`)
      await client.login(id)
      clients.push(client)
    }
    for (const client of clients) {
      for (let index = 0; index < 5; index++) {
        const answer = await client.send('POST', path, {
          address: '2001:db8::1',
          json: { password: 'wrong' },
        })
        statuses.push(answer.status)
      }
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(100)
    const [first] = clients
    house.clock.advance(60_000)
    for (let index = 0; index < 120; index++) {
      expect((await first?.send('POST', path, { json: { password: 'pw' } }))?.status).toBe(204)
    }
  })
})

describe('the sequence of steps of a login', () => {
  /** Returns the calls to the limiter and to `users` during a failed login, and its response. */
  async function traceOf(username: string, credential?: string): Promise<string[]> {
    const trace: string[] = []
    const traced = <Result>(what: string, result: Result): Result => {
      trace.push(what)
      return result
    }
    const users = {
      findById: (id: string) => traced('findById', house.users.findById(id)),
      verifyCredentials: () => traced('verifyCredentials', null),
    }
    const devices = house.reopenWith({
      users,
      settings: { loginRateLimit: '5/minute' },
    })
    const { limiter } = devices.gate.parts
    const inner = { ...limiter }
    const tracedLimiter: typeof limiter = {
      consume: (key, rate) =>
        traced(`consume ${key.replace(username, '{name}')}`, inner.consume(key, rate)),
      forgive: (key, rate) => traced('forgive', inner.forgive(key, rate)),
    }
    Object.assign(limiter, tracedLimiter)
    const json = {
      username,
      password: 'wrong',
      ...(credential ? { device_credential: credential } : {}),
    }
    const response = await send(devices, 'POST', '/trusted-devices/token', {
      address: '198.51.100.9',
      json,
    })
    trace.push(await problemOf(response))
    return trace
  }

  it('is the same for existing and unknown names', async () => {
    const known = await traceOf('ada')
    expect(known).toEqual([
      'consume login:address:198.51.100.9',
      'consume login:account:{name}',
      'verifyCredentials',
      '401 invalid_credentials',
    ])
    expect(await traceOf('nobody')).toEqual(known)
  })

  it('is the same whether the device of a forged credential exists or not', async () => {
    const client = new BearerClient(house.devices)
    await client.login()
    const { credential = '' } = client
    const forged = `${credential.slice(0, -8)}AAAAAAAA`
    await house.devices.registry.revoke('1', client.uid)
    const gone = await traceOf('nobody', forged)
    expect(await traceOf('ada', forged)).toEqual(gone)
    expect(gone).not.toContain('findById')
  })

  it('ends with 429 for existing and unknown names', async () => {
    const devices = house.reopen({ loginRateLimit: '5/minute' })
    const answers = async (name: string) => {
      const texts: string[] = []
      for (let index = 0; index < 102; index++) {
        const client = new BearerClient(
          devices,
          `2001:db8:${name.length}:${Math.floor(index / 5)}::1`,
        )
        const response = await client.login(name, 'wrong')
        texts.push(
          `${response.status} ${response.headers.get('retry-after')} ${await response.text()}`,
        )
      }
      return texts
    }
    const known = await answers('ada')
    expect(known.at(-1)).toMatch(/^429 60 /)
    expect(await answers('nobody')).toEqual(known)
  })
})
