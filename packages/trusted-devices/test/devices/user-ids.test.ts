import { sqliteEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import type { User, UserId } from '@quillgate/trusted-devices'
import { recordSignals } from '@quillgate/trusted-devices/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { Browser } from '../support/client.ts'
import { createDevices, type TestDevices } from '../support/create-devices.ts'
import { type House, openHouse, SECRET } from '../support/house.ts'

const UPPER = 'AE2F3C5B-6D1E-4F00-9A3B-0C1D2E3F4A5B'

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  const login = (devices: TestDevices, id: UserId) =>
    devices.login(
      { id },
      { request: new Request('http://localhost/login') },
      { transport: 'bearer' },
    )

  describe('ids of users', () => {
    it('are compared letter by letter: each spelling is a user of its own', async () => {
      house = await openHouse(engine, {}, { users: { findById: (id) => ({ id }) } })
      // What a collation would take for the same: case, trailing blanks, accents, forms of one character.
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

    it('keep their limits and alarms apart, too', async () => {
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

    it('that are UUIDs are the same in upper and lower case', async () => {
      const asked: string[] = []
      house = await openHouse(engine)
      const options = { secret: SECRET, database: house.url, clock: house.clock }
      const devices = createDevices({
        ...options,
        userId: 'uuid',
        // As a database that stores them in upper case.
        users: {
          findById: (id: string) => {
            asked.push(id)
            return { id: id.toUpperCase() }
          },
        },
      })
      const heard = recordSignals(devices.signals)
      try {
        const browser = new Browser(devices)
        await browser.login({ id: UPPER })
        await browser.login({ id: UPPER.toLowerCase() })
        const found = (await devices.registry.list(UPPER)).devices
        expect(found.map(({ userId }) => userId)).toEqual([UPPER.toLowerCase()])
        expect((await devices.registry.list(UPPER.toLowerCase())).devices).toEqual(found)
        expect((await devices.registry.listAll({ filter: { userId: UPPER } })).devices).toEqual(
          found,
        )
        expect(await browser.visit()).toMatchObject({ user: { id: UPPER } })
        expect(new Set(asked)).toEqual(new Set([UPPER.toLowerCase()]))
        // The CSRF token was made for the id as the application spells it.
        const response = await browser.send('POST', '/trusted-devices/logout', {}, { id: UPPER })
        expect(response.status).toBe(204)
        expect(heard.names()).toEqual(['device_created', 'device_revoked'])
        for (const id of ['1', '', 'x', `${UPPER}0`, UPPER.replaceAll('-', '')]) {
          await expect(devices.registry.list(id)).rejects.toMatchObject({ code: 'invalid_user' })
          await expect(
            devices.login({ id }, browser.context('/'), { transport: 'bearer' }),
          ).rejects.toMatchObject({
            code: 'invalid_user',
          })
        }
      } finally {
        await devices.close()
      }
    })

    it('may be whole numbers of any size', async () => {
      const asked: unknown[] = []
      house = await openHouse(engine)
      const big = 9_223_372_036_854_775_807n
      const devices = createDevices({
        secret: SECRET,
        database: house.url,
        userId: 'bigint',
        users: {
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
        await login(devices, 7)
        expect((await devices.registry.list(7n)).devices).toEqual(
          (await devices.registry.list('7')).devices,
        )
      } finally {
        await devices.close()
      }
    })
  })
})

describe('the option userId', () => {
  /** An application with a Map of users, in JavaScript: nothing checks what `findById` gets. */
  async function open(userId: unknown, id: unknown) {
    const log: string[] = []
    const found = new Map([[id, { id }]])
    const house = await openHouse(
      sqliteEngine(),
      {},
      {
        userId: userId as never,
        users: { findById: (asked) => (found.get(asked) as User | undefined) ?? null },
        logger: { warn: (line) => void log.push(line), error: () => {} },
      },
    )
    const browser = new Browser(house.devices)
    return { house, browser, found, log, login: () => browser.login({ id } as { id: string }) }
  }

  it.each([
    [undefined, 7, "Set userId: 'number'"],
    [undefined, 7n, "Set userId: 'bigint'"],
    ['uuid', 7, "Set userId: 'number'"],
    ['number', '7', "Set userId: 'string'"],
    ['number', 7n, "Set userId: 'bigint'"],
    ['bigint', '7', "Set userId: 'string'"],
  ])(
    'refuses the login, before anything is written, where it is %j and user.id is %o',
    async (userId, id, fix) => {
      const { house, login } = await open(userId, id)
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
    ['uuid', UPPER.toLowerCase()],
    ['number', 7],
    ['bigint', 7n],
  ])(
    'takes the login, and finds the user, where it is %j and user.id is %o',
    async (userId, id) => {
      const { house, browser, login, log } = await open(userId, id)
      await login()
      expect(await browser.visit()).toMatchObject({ user: { id } })
      expect(log).toEqual([])
      await house.close()
    },
  )

  it.each([{ id: 7 }, { id: '8' }, { id: 'A' }])(
    'refuses %j from findById as another user',
    async (other) => {
      const { house, browser, found, login } = await open('string', 'a')
      await login()
      found.set('a', other)
      await expect(browser.visit()).rejects.toMatchObject({ code: 'configuration_error' })
      await house.close()
    },
  )

  it('is named in the log, once, when findById finds nobody for a device that is signed in', async () => {
    const { house, browser, found, login, log } = await open('string', '7')
    await login()
    found.clear()
    expect([await browser.visit(), await browser.visit()]).toEqual([null, null])
    expect(log).toEqual([expect.stringMatching(/findById found nobody.*users\.deleted.*userId/)])
    await house.close()
  })

  it.each(['uuids', 'integer', '', null, 7])('does not take %j', async (userId) => {
    const house = await openHouse(sqliteEngine())
    expect(() => house.reopenWith({ userId: userId as never })).toThrow(
      /userId must be "string" or "uuid"/,
    )
    await house.close()
  })
})
