import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mount } from '@quillgate/server/express'
import { sqliteEngine } from '@quillgate/server/testing'
import express from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { send } from '../support/client.ts'
import type { TestDevices, TestDevicesOptions } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

let house: House
const lines: string[] = []
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
  lines.splice(0)
})
afterEach(() => house.close())

const open = (options: Partial<TestDevicesOptions> = {}): TestDevices => {
  const logger = {
    warn: (line: string) => void lines.push(line),
    error: (line: string) => void lines.push(line),
  }
  return house.reopenWith({ logger, settings: { loginRateLimit: '2/minute' }, ...options })
}

async function visitors(
  count: number,
  visit: (visitor: number) => Promise<number>,
): Promise<number[]> {
  const statuses: number[] = []
  for (let visitor = 0; visitor < count; visitor++) statuses.push(await visit(visitor))
  return statuses
}

const login = async (
  devices: TestDevices,
  visitor: number,
  address?: string,
  forwarded = true,
): Promise<number> => {
  const json = { username: `visitor-${visitor}`, password: 'wrong' }
  const headers: Record<string, string> = forwarded
    ? { 'x-forwarded-for': `203.0.113.${visitor + 1}` }
    : {}
  const sending = { headers, json, ...(address === undefined ? {} : { address }) }
  return (await send(devices, 'POST', '/trusted-devices/token', sending)).status
}

const SHARED = [...Array(40).fill(401), 429]

describe('logins behind a proxy that is not in trustedProxies', () => {
  it.each(['127.0.0.1', '172.17.0.1', '::1', 'fd00::1'])(
    'share a limit 20 times higher, and the log names the address once: %s',
    async (proxy) => {
      const devices = open()
      expect(await visitors(41, (visitor) => login(devices, visitor, proxy))).toEqual(SHARED)
      expect(lines).toEqual([expect.stringContaining(`trustedProxies: ['${proxy}']`)])
    },
  )

  it('share a limit 20 times higher without an address, and the log explains once how to pass it', async () => {
    const devices = open()
    expect(await visitors(41, (visitor) => login(devices, visitor, undefined, false))).toEqual(
      SHARED,
    )
    expect(lines).toEqual([expect.stringContaining('fetch(request, { address })')])
  })

  it('keep the limit of each account', async () => {
    const devices = open()
    const statuses = await visitors(41, () => login(devices, 7, '127.0.0.1'))
    expect(statuses).toEqual(SHARED) // 20 times the limit of an address, as in the test above.
    expect(await login(devices, 7, '198.51.100.1', false)).toBe(429)
    expect(await login(devices, 8, '198.51.100.1', false)).toBe(401)
  })

  it('keep the normal limit for a client that connects directly and sends the header', async () => {
    const devices = open()
    expect(await visitors(3, (visitor) => login(devices, visitor, '198.51.100.1'))).toEqual([
      401, 401, 429,
    ])
    expect(await visitors(3, (visitor) => login(devices, visitor, '10.0.0.1', false))).toEqual([
      401, 401, 429,
    ])
  })

  it('have separate limits after the proxy is added to trustedProxies', async () => {
    const devices = open({ trustedProxies: ['127.0.0.1'] })
    expect(await visitors(41, (visitor) => login(devices, visitor, '127.0.0.1'))).toEqual(
      Array(41).fill(401),
    )
    expect(lines).toEqual([])
  })
})

it('forged tokens behind a proxy that is not in trustedProxies share a limit 20 times higher', async () => {
  const devices = open({ settings: { refreshRateLimit: '1/minute' } })
  const statuses = await visitors(21, async (visitor) => {
    const headers = { 'x-forwarded-for': `203.0.113.${visitor}` }
    const sending = { address: '127.0.0.1', headers, json: { token: 'forged' } }
    return (await send(devices, 'POST', '/trusted-devices/token/verify', sending)).status
  })
  expect(statuses).toEqual([...Array(20).fill(401), 429])
})

describe('an Express application', () => {
  const servers: Server[] = []
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quillgate-'))
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
    await rm(folder, { recursive: true })
  })

  async function serve(
    trustProxy: unknown,
    devices: TestDevices,
    socketPath?: string,
  ): Promise<Server> {
    const app = express()
    if (trustProxy !== undefined) app.set('trust proxy', trustProxy)
    app.use(mount(devices.gate))
    const server = createServer(app).listen(socketPath ?? 0)
    servers.push(server)
    await once(server, 'listening')
    return server
  }

  async function loginTo(server: Server, visitor: number): Promise<number> {
    const at = server.address() as AddressInfo | string
    const client = httpRequest({
      ...(typeof at === 'string' ? { socketPath: at } : { host: '127.0.0.1', port: at.port }),
      method: 'POST',
      path: '/trusted-devices/token',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `203.0.113.${visitor + 1}`,
      },
    })
    client.end(JSON.stringify({ username: `visitor-${visitor}`, password: 'wrong' }))
    const [response] = await once(client, 'response')
    response.resume()
    return response.statusCode
  }

  it('separates clients by its own `trust proxy`', async () => {
    const server = await serve('loopback', open())
    expect(await visitors(6, (visitor) => loginTo(server, visitor % 2))).toEqual([
      401, 401, 401, 401, 429, 429,
    ])
    expect(lines).toEqual([])
  })

  it('trusts no header while `trust proxy` is off', async () => {
    const server = await serve(undefined, open())
    expect(await visitors(41, (visitor) => loginTo(server, visitor))).toEqual(SHARED)
    expect(lines).toEqual([expect.stringContaining("trustedProxies: ['127.0.0.1']")])
  })

  it('shares a limit 20 times higher behind a Unix socket, and the log explains once how to trust it', async () => {
    const server = await serve(undefined, open(), join(folder, 'app.sock'))
    expect(await visitors(41, (visitor) => loginTo(server, visitor))).toEqual(SHARED)
    expect(lines).toEqual([expect.stringContaining("trustedProxies: ['unix']")])
  })

  it.each([
    ['trustedProxies', undefined, { trustedProxies: ['unix'] }],
    ['its own `trust proxy`', 1, {}],
  ])('separates clients behind a Unix socket by %s', async (_by, trustProxy, options) => {
    const server = await serve(trustProxy, open(options), join(folder, 'app.sock'))
    expect(await visitors(6, (visitor) => loginTo(server, visitor % 2))).toEqual([
      401, 401, 401, 401, 429, 429,
    ])
    expect(lines).toEqual([])
  })
})
