import { sqliteEngine } from '@quillgate/server/testing'
import { TrustedDevice } from '@quillgate/trusted-devices'
import { deviceCreated, deviceRevoked, suspiciousLogin } from '@quillgate/trusted-devices/signals'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser, jsonOf, problemOf } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

let house: House
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
})
afterEach(() => house.close())

describe('signals', () => {
  it('reach the receivers of the instance and of the bus, with all properties', async () => {
    const received: unknown[] = []
    const undo = [
      house.devices.signals.deviceRevoked.connect((payload) =>
        received.push(['instance', payload]),
      ),
      deviceRevoked.connect((payload) => received.push(['bus', payload])),
    ]
    const client = new BearerClient(house.devices)
    await client.login()
    await client.send('POST', '/trusted-devices/logout')
    const payload = {
      sender: TrustedDevice,
      instance: house.devices,
      user: { id: '1', username: 'ada', password: 'pw' },
      deviceUid: client.uid,
      device: expect.any(TrustedDevice),
      reason: 'logout',
      sessionId: null,
      actor: client.uid,
      eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: new Date(house.clock()),
    }
    expect(received).toEqual([
      ['instance', payload],
      ['bus', payload],
    ])
    for (const each of undo) each()
  })

  it('have properties with the same names and types (S14)', async () => {
    const devices = house.reopen({ refreshGrace: 0 })
    const client = new BearerClient(devices)
    await client.login()
    const thief = client.copy()
    for (let index = 0; index < 2; index++) await client.refreshTokens()
    await thief.refreshTokens()
    expect(house.signals.names()).toEqual([
      'device_created',
      'device_revoked',
      'device_compromised',
    ])
    for (const event of house.signals.take()) {
      expect(event).toMatchObject({
        user: { id: '1' },
        device: { uid: client.uid },
        eventId: expect.any(String),
        at: expect.any(Date),
      })
    }
  })

  it('cannot be changed by one receiver for another', async () => {
    const attempts: (() => unknown)[] = []
    const client = new BearerClient(house.devices, '192.0.2.44')
    await new BearerClient(house.devices).login()
    house.devices.signals.deviceCreated.connect((payload) => {
      const { device, at } = payload
      attempts.push(
        () => Object.assign(device, { userId: '2' }),
        () => Object.assign(device, { createdAt: new Date(0) }),
        () => Object.assign(payload, { user: { id: '2' } }),
      )
      device.createdAt.setTime(0)
      at.setTime(0)
    })
    house.devices.signals.suspiciousLogin.connect(({ previousCountries }) =>
      previousCountries.clear(),
    )
    house.signals.take()
    await client.login()
    for (const attempt of attempts) expect(attempt).toThrow(TypeError)
    expect(house.signals.events).toMatchObject([
      {
        user: { id: '1' },
        at: new Date(house.clock()),
        device: { userId: '1', createdAt: new Date(house.clock()) },
      },
      { previousCountries: new Set(['DE']) },
    ])
  })

  it('do not block an answer while findById hangs, and are published when it returns', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = house.reopenWith({
      users: { ...house.users, findById: (id) => promise.then(() => house.users.findById(id)) },
      settings: { receiverTimeout: 0.01 },
    })
    await slow.login(
      { id: '1' },
      { request: new Request('http://localhost/') },
      { transport: 'bearer' },
    )
    house.signals.take()
    expect(await slow.registry.revokeAll('1')).toBe(1)
    expect(house.signals.names()).toEqual([])
    resolve()
    await slow.close() // `close` waits for pending events.
    expect(house.signals.events).toMatchObject([
      { signal: 'device_revoked', user: { id: '1', username: 'ada' } },
    ])
  })

  it('of another instance do not reach receivers of the first instance', async () => {
    const received: unknown[] = []
    house.devices.signals.deviceCreated.connect((payload) => received.push(payload))
    await new BearerClient(house.reopen()).login()
    expect(received).toEqual([])
    expect(house.signals.names()).toEqual(['device_created'])
  })

  it('are typed: previousCountries is a Set, and the user of a login is the given object', async () => {
    let countries: Set<string> | undefined
    const undo = suspiciousLogin.connect(({ previousCountries }) => {
      countries = previousCountries
    })
    const user = { id: '1', email: 'ada@example.com' }
    const users: unknown[] = []
    const undoCreated = deviceCreated.connect((payload) => users.push(payload.user))
    const browser = new Browser(house.devices)
    await browser.login(user)
    const elsewhere = new Browser(house.devices, { address: '192.0.2.44' })
    await elsewhere.login(user)
    expect(countries).toEqual(new Set(['DE']))
    expect(users[0]).toBe(user)
    undo()
    undoCreated()
  })

  it('are published after the commit, so that a receiver reads the new state', async () => {
    const seen: [string, number][] = []
    house.devices.signals.deviceCreated.connect(async () => {
      seen.push(['created', (await house.devices.registry.list('1')).devices.length])
    })
    house.devices.signals.deviceRevoked.connect(async ({ instance, user }) => {
      seen.push(['revoked', (await instance.registry.list(user.id)).devices.length])
    })
    const client = new BearerClient(house.devices)
    await client.login()
    await client.send('POST', '/trusted-devices/logout')
    expect(seen).toEqual([
      ['created', 1],
      ['revoked', 0],
    ])
  })

  it('can cause a revocation in a receiver', async () => {
    house.devices.signals.suspiciousLogin.connect(({ instance, user, device }) =>
      instance.registry.revoke(user.id, device.uid),
    )
    const client = new BearerClient(house.devices)
    await client.login()
    const abroad = new BearerClient(house.devices, '192.0.2.44')
    await abroad.login()
    expect((await abroad.send('GET', '/trusted-devices')).status).toBe(401)
    expect(house.signals.names()).toEqual([
      'device_created',
      'device_created',
      'suspicious_login',
      'device_revoked',
    ])
  })
})

describe('a receiver that fails (S02)', () => {
  it('changes neither answers nor results', async () => {
    const errors: unknown[] = []
    const devices = house.reopenWith({
      logger: {
        warn() {},
        error: (message, error) => errors.push([message, (error as Error).message]),
      },
      settings: { ...house.settings, maxDevices: 2, refreshGrace: 0 },
    })
    const signals = [
      'deviceCreated',
      'deviceRevoked',
      'suspiciousLogin',
      'deviceCompromised',
    ] as const
    for (const name of signals) {
      devices.signals[name].connect(() => {
        throw new Error('no mail server')
      })
    }
    const login = async (address?: string): Promise<BearerClient> => {
      const client = new BearerClient(devices, address)
      expect((await client.login()).status).toBe(200)
      house.clock.advance(1_000)
      return client
    }
    const a = await login()
    const b = await login('192.0.2.44')
    const c = await login()
    expect((await a.send('GET', '/trusted-devices')).status).toBe(401)
    expect((await c.send('DELETE', `/trusted-devices/${b.uid}`)).status).toBe(204)
    const thief = c.copy()
    await c.refreshTokens()
    await c.refreshTokens()
    expect(await problemOf(await thief.refreshTokens())).toBe('401 token_reused')
    const d = await login()
    expect(await jsonOf(await d.send('POST', '/trusted-devices/revoke-all'))).toEqual({
      revoked_count: 1,
    })
    house.clock.advance(1_000)
    const e = await login()
    expect((await e.send('POST', '/trusted-devices/logout')).status).toBe(204)
    await login()
    house.clock.advance(1e11)
    expect(await devices.registry.cleanup()).toMatchObject({ revoked: 1 })
    expect((await devices.registry.list('1')).devices).toEqual([])
    expect(house.signals.names().filter((name) => name === 'device_revoked')).toHaveLength(6)
    expect(errors).toHaveLength(house.signals.events.length)
    expect(errors).toContainEqual(['A receiver of device_compromised failed.', 'no mail server'])
  })

  it('because it is slow delays the answer by receiverTimeout at most, and logs a warning', async () => {
    const logged: string[] = []
    const devices = house.reopenWith({
      settings: { ...house.settings, receiverTimeout: 0.01 },
      logger: {
        warn: (message) => logged.push(message),
        error: (message) => logged.push(`error: ${message}`),
      },
    })
    const gate = Promise.withResolvers<void>()
    devices.signals.deviceCreated.connect(() => gate.promise, { id: 'audit' })
    expect((await new BearerClient(devices).login()).status).toBe(200)
    const slow =
      'A receiver of device_created is slow (audit): it has not finished after 0.01 s (receiverTimeout), and continues.'
    await expect.poll(() => logged).toEqual([slow])
    gate.resolve()
    await devices.close()
    expect(logged).toEqual([slow])
  })

  it('is logged', async () => {
    const logged: string[] = []
    const devices = house.reopenWith({
      logger: { warn: () => {}, error: (message) => logged.push(message) },
    })
    devices.signals.deviceCreated.connect(() => Promise.reject(new Error('x')), { id: 'mail' })
    await new BearerClient(devices).login()
    expect(logged).toEqual(['A receiver of device_created failed (mail).'])
  })
})

describe('an event while findById fails', () => {
  it('is retried, and never contains the user as a deleted one', async () => {
    await new BearerClient(house.devices).login()
    let failures = 0
    const devices = house.reopenWith({
      users: {
        findById: (id) => {
          if (failures++ === 0) throw new Error('down')
          return house.users.findById(id)
        },
      },
    })
    house.signals.take()
    expect(await devices.registry.revokeAll('1')).toBe(1)
    await devices.close() // `close` waits for the retry.
    expect(failures).toBe(2)
    expect(house.signals.events).toMatchObject([
      { signal: 'device_revoked', user: { id: '1', username: 'ada' } },
    ])
  })
})

describe('a deleted user', () => {
  it('has an id of the type that users.parseId returns', async () => {
    const devices = house.reopenWith({ users: { findById: () => null, parseId: Number } as never })
    const users: unknown[] = []
    devices.signals.deviceRevoked.connect(({ user, device }) => users.push([user, device.userId]))
    const request = new Request('http://localhost/')
    await devices.login({ id: 7 }, { request }, { transport: 'bearer' })
    await devices.users.deleted(7)
    await devices.login({ id: 7 }, { request }, { transport: 'bearer' })
    await devices.users.erase(7)
    expect(users).toEqual([
      [{ id: 7 }, '7'],
      [{ id: 7 }, '7'],
    ])
  })
})

describe('receivers', () => {
  it('are imported once, before the first signal, and again after a failure', async () => {
    let imports = 0
    const devices = house.reopenWith({
      receivers: () => {
        imports++
        if (imports === 1) return Promise.reject(new Error('half-written'))
        return Promise.resolve()
      },
    })
    await expect(devices.ready()).rejects.toThrow('half-written')
    await Promise.all([
      devices.ready(),
      devices.registry.list('1'),
      new BearerClient(devices).login(),
    ])
    await devices.ready()
    expect(imports).toBe(2)
  })

  it('can use the devices during start-up, without a deadlock', async () => {
    const counts: number[] = []
    const devices: TestDevices = house.reopenWith({
      receivers: async () => {
        await devices.ready()
        counts.push((await devices.registry.list('1')).devices.length)
      },
    })
    await devices.ready()
    expect(counts).toEqual([0])
  })
})
