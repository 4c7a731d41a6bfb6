import { describeDatabases } from '@quillgate/server/testing/suites'
import type { DeviceFilter } from '@quillgate/trusted-devices'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const HOUR = 3_600_000
const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36'
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  /** Returns the names of the clients by uid. */
  async function signIn(
    logins: readonly [name: string, username: string, address: string, userAgent?: string][],
  ): Promise<Map<string, string>> {
    const names = new Map<string, string>()
    for (const [name, username, address, userAgent] of logins) {
      const client = new BearerClient(house.devices, address, userAgent)
      expect((await client.login(username)).status).toBe(200)
      names.set(client.uid, name)
      house.clock.advance(HOUR)
    }
    house.signals.take()
    return names
  }

  const open = async (
    ...args: Parameters<typeof openHouse> extends [unknown, ...infer Rest] ? Rest : never
  ) => {
    house = await openHouse(engine, ...args)
  }

  async function selectedBy(names: Map<string, string>, filter: DeviceFilter): Promise<string[]> {
    const listed = (await house.devices.registry.listAll({ filter })).devices
      .map(({ uid }) => names.get(uid) ?? uid)
      .sort()
    const preview = await house.devices.registry.revokeWhere(filter, { dryRun: true })
    expect(preview).toMatchObject({ revoked: listed.length, dryRun: true, failures: [] })
    expect(preview.sample.map(({ uid }) => names.get(uid) ?? uid).sort()).toEqual(
      listed.slice(0, 10),
    )
    expect(house.signals.take()).toEqual([])
    return listed
  }

  const WORLD = [
    ['berlin', 'ada', '203.0.113.10', LINUX],
    ['munich', 'ada', '203.0.113.20', WINDOWS],
    ['paris', 'grace', '198.51.100.7', LINUX],
    ['nowhere', 'grace', '2001:db8::1', WINDOWS],
    ['far', 'grace', '2001:db8:0:1::1', 'curl/8.5.0'],
  ] as const

  describe('a filter', () => {
    it('selects the same devices for list, preview and revocation', async () => {
      await open()
      const start = house.clock()
      const names = await signIn(WORLD.map((login) => [...login]))
      const at = (hours: number): Date => new Date(start + hours * HOUR)
      const cases: [DeviceFilter, string[]][] = [
        [{ everything: true }, ['berlin', 'far', 'munich', 'nowhere', 'paris']],
        [{ userId: '1' }, ['berlin', 'munich']],
        [{ userId: 1 }, ['berlin', 'munich']],
        [{ userId: ['1', 2n] }, ['berlin', 'far', 'munich', 'nowhere', 'paris']],
        [{ userId: [] }, []],
        [{ userId: 'nobody' }, []],
        [{ country: 'DE' }, ['berlin', 'munich']],
        [{ country: 'de' }, ['berlin', 'munich']],
        [{ country: null }, ['far', 'nowhere']],
        [{ createdBefore: at(1) }, ['berlin']],
        [{ createdAfter: at(3) }, ['far', 'nowhere']],
        [{ createdAfter: at(1), createdBefore: at(3) }, ['munich', 'paris']],
        [{ seenBefore: at(2) }, ['berlin', 'munich']],
        [{ seenAfter: at(4) }, ['far']],
        [{ userId: '2', country: 'FR', seenAfter: at(0) }, ['paris']],
        [{ country: 'DE', userId: '2' }, []],
        [{ everything: true, country: 'DE' }, ['berlin', 'munich']],
      ]
      for (const [filter, expected] of cases)
        expect([filter, await selectedBy(names, filter)]).toEqual([filter, expected])
    })

    it('revokes the devices that match and no others, with one signal and the reason for each', async () => {
      await open()
      const names = await signIn(WORLD.map((login) => [...login]))
      const report = await house.devices.registry.revokeWhere(
        { country: 'DE' },
        { reason: 'incident_42' },
      )
      expect(report).toEqual({ revoked: 2, dryRun: false, sample: [], failures: [] })
      const events = house.signals.take()
      expect(
        events.map((event) => [
          event.signal,
          names.get(event.device.uid),
          event.reason,
          event.actor,
        ]),
      ).toEqual([
        ['device_revoked', 'berlin', 'incident_42', null],
        ['device_revoked', 'munich', 'incident_42', null],
      ])
      expect(await selectedBy(names, { everything: true })).toEqual(['far', 'nowhere', 'paris'])
      expect((await house.devices.registry.revokeWhere({ country: 'DE' })).revoked).toBe(0)
      expect((await house.devices.registry.revokeWhere({ everything: true })).revoked).toBe(3)
      expect(house.signals.take().map(({ reason }) => reason)).toEqual([
        'application',
        'application',
        'application',
      ])
    })

    it('lists each device once over all pages', async () => {
      await open()
      const names = await signIn(
        Array.from({ length: 7 }, (_, index) => [`d${index}`, 'ada', `203.0.113.${index + 1}`]),
      )
      const found: string[] = []
      let cursor: string | null = null
      do {
        const page = await house.devices.registry.listAll({
          filter: { userId: '1' },
          limit: 2,
          cursor,
        })
        found.push(...page.devices.map(({ uid }) => names.get(uid) ?? uid))
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(found).toEqual(['d6', 'd5', 'd4', 'd3', 'd2', 'd1', 'd0'])
    })

    it.each([
      [{}],
      [null],
      ['everything'],
      [[]],
      [{ everything: false }],
      [{ address: '203.0.113.1' }],
      [{ userId: undefined }],
      [{ userId: '1', country: undefined }],
      [{ userid: '1' }],
      [{ __proto__: null, constructor: 1 }],
      [{ country: 'XX' }],
      [{ country: 49 }],
      [{ country: '' }],
      [{ seenBefore: '2026-01-01' }],
      [{ seenBefore: new Date(Number.NaN) }],
      [{ seenBefore: 0 }],
      [{ userId: Array.from({ length: 501 }, (_, index) => index) }],
    ])('of %j is rejected instead of selecting everything or nothing', async (filter) => {
      await open()
      await signIn([['berlin', 'ada', '203.0.113.10']])
      for (const call of [
        () => house.devices.registry.listAll({ filter: filter as never }),
        () => house.devices.registry.revokeWhere(filter as never),
        () => house.devices.registry.revokeWhere(filter as never, { dryRun: true }),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'invalid_request', status: 400 })
      }
      expect((await house.devices.registry.list('1')).devices).toHaveLength(1)
    })
  })

  describe('revokeWhere', () => {
    it('keeps a device that no longer matches, because the condition is part of the delete', async () => {
      await open({ lastSeenInterval: 0, accessTokenLifetime: 100_000 })
      const clients = [new BearerClient(house.devices), new BearerClient(house.devices)]
      for (const client of clients) await client.login()
      house.clock.advance(10_000)
      const seenBefore = new Date(house.clock() - 1000)
      const [used, report] = await Promise.all([
        clients[0]!.send('GET', '/trusted-devices'),
        house.devices.registry.revokeWhere({ seenBefore }),
      ])
      const left = (await house.devices.registry.list('1')).devices.length
      expect(report.revoked + left).toBe(2)
      expect(used.status).toBe(left === 1 ? 200 : used.status)
      expect(house.signals.names().filter((name) => name === 'device_revoked')).toHaveLength(
        report.revoked,
      )
    })

    it('publishes each device once for two administrators at the same time', async () => {
      await open()
      const names = await signIn(
        Array.from({ length: 8 }, (_, index) => [
          `d${index}`,
          index % 2 ? 'ada' : 'grace',
          '203.0.113.10',
        ]),
      )
      const other = house.reopen()
      const reports = await Promise.all([
        house.devices.registry.revokeWhere({ country: 'DE' }),
        other.registry.revokeWhere({ everything: true }),
      ])
      expect(reports.map(({ failures }) => failures)).toEqual([[], []])
      expect(reports[0].revoked + reports[1].revoked).toBe(8)
      const revokedNames = house.signals.take().map((event) => names.get(event.device.uid))
      expect(revokedNames.sort()).toEqual([...names.values()].sort())
    })

    it('continues after a user that fails, names the user, and finishes on the next call', async () => {
      await open()
      await signIn([
        ['a', 'ada', '203.0.113.10'],
        ['b', 'grace', '203.0.113.10'],
        ['c', 'grace', '203.0.113.10'],
      ])
      const fail = failingDelete(engine.name)
      for (const statement of fail.create) await house.sql.execute(statement)
      const report = await house.devices.registry.revokeWhere({ country: 'DE' })
      expect(report).toMatchObject({
        revoked: 2,
        failures: [{ userId: '1', error: expect.any(Error) }],
      })
      for (const statement of fail.drop) await house.sql.execute(statement)
      expect(await house.devices.registry.revokeWhere({ country: 'DE' })).toMatchObject({
        revoked: 1,
        failures: [],
      })
    })

    it('processes many users in batches, and the preview counts all of them', {
      timeout: 60_000,
    }, async () => {
      await open()
      const now = house.clock()
      const columns =
        'uid, user_id, name, address, country, user_agent, created_at, last_seen_at, proved_at, can_delete_others, ' +
        'can_edit_others, token_generation, token_counter, token_issued_at, credential_counter, ' +
        'signed_in_at, countries, token_late'
      const flag = engine.name === 'postgres' ? 'true' : '1'
      for (let start = 0; start < 2600; start += 200) {
        const rows = Array.from({ length: 200 }, (_, index) => {
          const number = start + index
          const uid = `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`
          return `('${uid}', 'user${number % 130}', '', '10.0.0.1', '${number % 4 < 2 ? 'DE' : 'FR'}', '', ${now}, ${now}, ${now}, ${flag}, ${flag}, 1, 0, ${now}, 0, ${now}, '["FR"]', 0)`
        })
        await house.sql.execute(
          `INSERT INTO quillgate_device (${columns}) VALUES ${rows.join(', ')}`,
        )
      }
      const filter = { country: 'DE' }
      expect(await house.devices.registry.revokeWhere(filter, { dryRun: true })).toMatchObject({
        revoked: 1300,
      })
      expect(await house.devices.registry.revokeWhere(filter)).toMatchObject({
        revoked: 1300,
        failures: [],
      })
      expect(new Set(house.signals.take().map(({ device }) => device.uid)).size).toBe(1300)
      expect(await house.devices.registry.revokeWhere({ country: 'FR' })).toMatchObject({
        revoked: 1300,
        failures: [],
      })
    })
  })
})

function failingDelete(engine: string): { create: string[]; drop: string[] } {
  const on = 'BEFORE DELETE ON quillgate_device'
  if (engine === 'sqlite') {
    return {
      create: [
        `CREATE TRIGGER no_delete ${on} WHEN OLD.user_id = '1' BEGIN SELECT RAISE(ABORT, 'no'); END`,
      ],
      drop: ['DROP TRIGGER no_delete'],
    }
  }
  if (engine === 'mariadb') {
    const signal = "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'"
    return {
      create: [
        `CREATE TRIGGER no_delete ${on} FOR EACH ROW IF OLD.user_id = '1' THEN ${signal}; END IF`,
      ],
      drop: ['DROP TRIGGER no_delete'],
    }
  }
  return {
    create: [
      `CREATE FUNCTION no_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF OLD.user_id = '1' THEN RAISE EXCEPTION 'no'; END IF; RETURN OLD; END $$`,
      `CREATE TRIGGER no_delete ${on} FOR EACH ROW EXECUTE FUNCTION no_delete()`,
    ],
    drop: ['DROP TRIGGER no_delete ON quillgate_device', 'DROP FUNCTION no_delete()'],
  }
}
