import type { Row } from '@quillgate/server/database'
import { sqliteEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  /**
   * Ada has a laptop with a known place, a renamed phone and a revoked device. Grace has one
   * device.
   */
  async function settle(): Promise<{ laptop: Browser; phone: BearerClient }> {
    house = await openHouse(engine)
    const { devices, clock } = house
    const laptop = new Browser(devices)
    await laptop.login()
    const phone = new BearerClient(devices, '198.51.100.7', 'secret-app/1.0')
    await phone.login()
    await phone.send('PATCH', `/trusted-devices/${phone.uid}`, {
      json: { name: 'Ada’s own phone' },
    })
    clock.advance(1000)
    const gone = new BearerClient(devices, '192.0.2.44')
    await gone.login()
    await gone.send('POST', '/trusted-devices/logout')
    await new BearerClient(devices, '203.0.113.20').login('grace')
    return { laptop, phone }
  }

  describe('users.export', () => {
    it('returns everything that is stored about a user, and nothing about others', async () => {
      const { phone } = await settle()
      const { devices, clock } = house
      const all = await devices.users.export(1)
      expect(all).toMatchObject({
        format: 'quillgate.trusted-devices.user/1',
        user_id: '1',
        exported_at: new Date(clock()).toISOString(),
        data: {
          devices: [
            {
              name: 'Firefox on Linux',
              address: '203.0.113.10',
              city: 'Berlin',
              country: 'DE',
              browser: 'Firefox 145',
            },
            {
              uid: phone.uid,
              name: 'Ada’s own phone',
              user_agent: 'secret-app/1.0',
              last_address: '198.51.100.7',
            },
          ],
          revoked_devices: [
            {
              country: 'JP',
              countries: ['JP'],
              may_return: true,
              revoked_at: new Date(clock()).toISOString(),
            },
          ],
          first_login_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        },
      })
      expect(JSON.parse(JSON.stringify(all))).toEqual(all)
      expect(JSON.stringify(all)).not.toContain('203.0.113.20')
    })

    it('contains every column with personal data', async () => {
      await settle()
      const { data } = await house.devices.users.export('1')
      const [row = {}] = await house.sql.query('SELECT * FROM quillgate_device')
      const machinery = /^(user_id|token_|credential_|network|last_network|application_session_id)/
      const columns = Object.keys(row).filter((column) => !machinery.test(column))
      expect(Object.keys((data['devices'] as object[])[0] ?? {}).sort()).toEqual(columns.sort())
    })

    it('returns an empty export for an unknown user, and writes nothing', async () => {
      await settle()
      const { data } = await house.devices.users.export('nobody')
      expect(data).toMatchObject({
        devices: [],
        revoked_devices: [],
        first_login_at: null,
      })
      expect(
        await house.sql.query("SELECT * FROM quillgate_device_owner WHERE user_id = 'nobody'"),
      ).toEqual([])
    })
  })

  describe('users.erase', () => {
    it('removes the user from every table, and changes no other user', async () => {
      const { laptop, phone } = await settle()
      const { devices, sql, signals } = house
      const others = JSON.stringify(await devices.users.export('2'), (key, value) =>
        key === 'exported_at' ? 0 : value,
      )
      signals.take()
      expect(await devices.users.erase(1)).toBe(2)
      for (const table of await tables(sql)) {
        const rows = await sql.query(`SELECT * FROM ${table}`)
        const isOurs = (row: Row): boolean => (row['user_id'] ?? row['job_key']) === '1'
        expect([table, rows.filter(isOurs)]).toEqual([table, []])
        expect(JSON.stringify(rows)).not.toMatch(/Ada’s own phone|secret-app|198\.51\.100\.7/)
      }
      expect(await laptop.visit()).toBeNull()
      expect((await phone.send('GET', '/trusted-devices')).status).toBe(401)
      expect(
        JSON.stringify(await devices.users.export('2'), (key, value) =>
          key === 'exported_at' ? 0 : value,
        ),
      ).toBe(others)
      expect(signals.events.map(({ signal }) => signal)).toEqual([
        'device_revoked',
        'device_revoked',
      ])
    })

    it('publishes which devices were revoked, without other data', async () => {
      const { phone } = await settle()
      const { devices, signals } = house
      signals.take()
      await devices.users.erase('1')
      const revocation = signals.events.find(
        (event) => 'deviceUid' in event && event.deviceUid === phone.uid,
      )
      expect(revocation).toMatchObject({
        user: { id: '1' },
        reason: 'user_deleted',
        device: {
          uid: phone.uid,
          userId: '1',
          name: '',
          address: null,
          city: null,
          country: null,
          userAgent: '',
        },
      })
      expect(Object.keys((revocation as { user: object }).user)).toEqual(['id'])
      expect(JSON.stringify(signals.events)).not.toMatch(/secret-app|198\.51|Firefox|Berlin/)
    })

    it('can be called again, and for an unknown user', async () => {
      await settle()
      expect(await house.devices.users.erase('1')).toBe(2)
      expect(await house.devices.users.erase('1')).toBe(0)
      expect(await house.devices.users.erase('nobody')).toBe(0)
      const owners = await house.sql.query('SELECT user_id FROM quillgate_device_owner')
      expect(owners).toEqual([{ user_id: '2' }])
    })

    it('makes the user unknown at the next login', async () => {
      const { phone } = await settle()
      await house.devices.users.erase('1')
      house.signals.take()
      await phone.login()
      expect(house.signals.events).toMatchObject([{ signal: 'device_created', returning: false }])
    })
  })
})

describe('every table with a user_id', () => {
  it('is covered by export and erasure', async () => {
    const house = await openHouse(sqliteEngine())
    const { sql, devices } = house
    const all = await tables(sql)
    for (const table of all) {
      const columns = (await sql.query(`PRAGMA table_info(${table})`)).filter(
        (row) => row['name'] !== 'position',
      )
      const values = columns.map(({ name, type }) =>
        name === 'user_id' || name === 'job_key'
          ? "'ghost'"
          : name === 'countries'
            ? "'[]'"
            : /int/i.test(String(type))
              ? '1'
              : `'{"of":"${table}"}'`,
      )
      await sql.execute(
        `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')}) VALUES (${values.join(', ')})`,
      )
    }
    const { data } = await devices.users.export('ghost')
    const exported = Object.values(data).filter(
      (place) => place !== null && (!Array.isArray(place) || place.length > 0),
    )
    expect(exported).toHaveLength(all.length)
    await devices.users.erase('ghost')
    for (const table of all) {
      const key = table.endsWith('_job') ? 'job_key' : 'user_id'
      expect([table, await sql.query(`SELECT * FROM ${table} WHERE ${key} = 'ghost'`)]).toEqual([
        table,
        [],
      ])
    }
    await house.close()
  })
})

/**
 * Returns the tables that contain user ids. In the table of jobs, the column `job_key` contains
 * them.
 */
async function tables(sql: House['sql']): Promise<string[]> {
  const found =
    sql.dialect === 'sqlite'
      ? await sql.query(
          "SELECT name AS name FROM sqlite_master WHERE type = 'table' AND (sql LIKE '%user_id%' OR sql LIKE '%job_key%')",
        )
      : await sql.query(
          `SELECT table_name AS name FROM information_schema.columns
            WHERE column_name IN ('user_id', 'job_key') AND table_schema = ${sql.dialect === 'postgres' ? 'current_schema()' : 'database()'}`,
        )
  const names = found.map((row) => String(row['name']))
  expect(names).toEqual(
    expect.arrayContaining(['quillgate_device_revoked', 'quillgate_device_job']),
  )
  return names
}
