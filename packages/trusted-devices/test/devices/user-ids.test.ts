import { sqliteEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import type { User, UserId } from '@quillgate/trusted-devices'
import { afterEach, describe, expect, it } from 'vitest'
import { Browser } from '../support/client.ts'
import { createDevices, type TestDevices } from '../support/create-devices.ts'
import { type House, openHouse, SECRET } from '../support/house.ts'

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  const login = (devices: TestDevices, id: UserId) =>
    devices.login(
      { id },
      { request: new Request('http://localhost/login') },
      { transport: 'bearer' },
    )

  describe('the ids of users', () => {
    it('are compared exactly: each spelling is another user', async () => {
      house = await openHouse(engine, {}, { users: { findById: (id) => ({ id }) } })
      // Ids that a database may treat as equal.
      const ids = [
        'a',
        'A',
        'a ',
        ' a',
        'ä',
        'a\u0308',
        'à',
        'ａ',
        'ss',
        'ß',
        '1',
        '01',
        '1 ',
        '१',
        'a\u200b',
        '%',
        '_',
      ]
      for (const id of ids) await login(house.devices, id)
      for (const id of ids) {
        const { devices } = await house.devices.registry.list(id)
        expect([id, devices.map(({ userId }) => userId)]).toEqual([id, [id]])
        const { devices: filtered } = await house.devices.registry.listAll({
          filter: { userId: id },
        })
        expect([id, filtered.map(({ userId }) => userId)]).toEqual([id, [id]])
      }
      house.signals.take()
      expect(await house.devices.registry.revokeAll('a')).toBe(1)
      expect(await house.devices.registry.revokeWhere({ userId: 'A' })).toMatchObject({
        revoked: 1,
      })
      expect(house.signals.take().map(({ user }) => user.id)).toEqual(['a', 'A'])
      expect((await house.devices.registry.listAll({ limit: 100 })).devices).toHaveLength(
        ids.length - 2,
      )
    })

    it('have separate limits and alarms', async () => {
      house = await openHouse(engine, { maxDevices: 1 }, { users: { findById: (id) => ({ id }) } })
      for (const id of ['a', 'A', 'a ', 'A']) await login(house.devices, id)
      expect(house.signals.take().map(({ signal, user }) => `${signal} ${user.id}.`)).toEqual([
        'device_created a.',
        'device_created A.',
        'device_created a .',
        'device_revoked A.',
        'device_created A.',
      ])
    })

    it('may be integers of any size', async () => {
      const asked: unknown[] = []
      house = await openHouse(engine)
      const big = 9_223_372_036_854_775_807n
      const devices = createDevices({
        secret: SECRET,
        database: house.url,
        users: {
          parseId: BigInt,
          findById: (id: bigint) => {
            asked.push(id)
            return { id }
          },
        },
      })
      try {
        await login(devices, big)
        await login(devices, big - 1n)
        expect((await devices.registry.list(big)).devices.map(({ userId }) => userId)).toEqual([
          String(big),
        ])
        expect((await devices.registry.list(String(big - 1n))).devices).toHaveLength(1)
        expect(await devices.registry.revokeAll(big)).toBe(1)
        expect(asked).toContain(big)
        await login(devices, 7n)
        expect((await devices.registry.list(7n)).devices).toEqual(
          (await devices.registry.list('7')).devices,
        )
      } finally {
        await devices.close()
      }
    })
  })
})

describe('users.parseId', () => {
  /** The id can have any type, as in plain JavaScript. */
  async function open(parseId: ((id: string) => unknown) | undefined, id: unknown) {
    const log: string[] = []
    const found = new Map([[id, { id }]])
    const findById = (asked: unknown) => (found.get(asked) as User | undefined) ?? null
    const house = await openHouse(
      sqliteEngine(),
      {},
      {
        users: { findById, ...(parseId && { parseId }) } as never,
        logger: { warn: (line) => void log.push(line), error: () => {} },
      },
    )
    const browser = new Browser(house.devices)
    return { house, browser, found, log, login: () => browser.login({ id } as { id: string }) }
  }

  it.each([
    [undefined, 7, 'parseId: Number'],
    [undefined, 7n, 'parseId: BigInt'],
    [Number, '7', 'parseId: String'],
    [Number, 7n, 'parseId: BigInt'],
    [BigInt, '7', 'parseId: String'],
  ])(
    'rejects the login before anything is written if it is %o and user.id is %o',
    async (parseId, id, fix) => {
      const { house, login } = await open(parseId, id)
      const refusal = await login().catch((error: unknown) => error)
      expect(refusal).toMatchObject({
        code: 'configuration_error',
        message: expect.stringContaining(fix),
      })
      expect((await house.devices.registry.listAll()).devices).toEqual([])
      expect(await house.sql.query('SELECT * FROM quillgate_device_owner')).toEqual([])
      await house.close()
    },
  )

  it.each([
    [undefined, '7'],
    [Number, 7],
    [BigInt, 7n],
  ])('accepts the login and finds the user if it is %o and user.id is %o', async (parseId, id) => {
    const { house, browser, login, log } = await open(parseId, id)
    await login()
    expect(await browser.visit()).toMatchObject({ user: { id } })
    expect(log).toEqual([])
    await house.close()
  })

  it.each([{ id: 7 }, { id: '8' }, { id: 'A' }])(
    'rejects %j from findById as another user',
    async (other) => {
      const { house, browser, found, login } = await open(undefined, 'a')
      await login()
      found.set('a', other)
      await expect(browser.visit()).rejects.toMatchObject({ code: 'configuration_error' })
      await house.close()
    },
  )

  it('is named in the log once when findById returns no user for a signed-in device', async () => {
    const { house, browser, found, login, log } = await open(undefined, '7')
    await login()
    found.clear()
    expect([await browser.visit(), await browser.visit()]).toEqual([null, null])
    expect(log).toEqual([expect.stringMatching(/findById found no user.*users\.deleted.*parseId/)])
    await house.close()
  })
})
