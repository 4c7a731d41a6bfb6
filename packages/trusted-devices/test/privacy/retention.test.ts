import { openDatabase, type SqlExecutor } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import type { TrustedDevice } from '@quillgate/trusted-devices'
import { afterEach, describe, expect, it } from 'vitest'
import { DeviceDatabase } from '../../src/devices/tables/device-database.ts'
import { reduceAddresses } from '../../src/devices/tables/personal-data.ts'
import { addressCutoffs } from '../../src/privacy/address-policy.ts'
import { BearerClient, Browser } from '../support/client.ts'
import type { TestSettings } from '../support/create-devices.ts'
import { type House, openHouse } from '../support/house.ts'

const DAY = 86_400
const IPV4 = '203.0.113.10'
const NO_ADDRESSES = { addressRetention: 0, networkRetention: 0 }
const IPV6 = '2001:db8:1234:5678:9abc::1'

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())
  const open = async (settings: TestSettings = {}): Promise<House> => {
    house = await openHouse(engine, {
      staleAfter: null,
      refreshTokenLifetime: 90 * DAY,
      ...settings,
    })
    return house
  }
  const days = (count: number) => house.clock.advance(count * DAY * 1000)
  const only = async (): Promise<TrustedDevice> => {
    const { devices } = await house.devices.registry.list('1')
    expect(devices).toHaveLength(1)
    return devices[0] as TrustedDevice
  }

  describe('an address', () => {
    it.each([
      [IPV4, '203.0.113.0/24', 'Berlin'],
      [IPV6, '2001:db8:1234::/48', null],
    ])(
      '%s is reduced to its network after addressRetention, and removed after networkRetention',
      async (address, network, city) => {
        const { devices } = await open()
        await new Browser(devices, { address }).login()
        expect(await only()).toMatchObject({ address, lastAddress: address, city })
        days(30)
        expect(await devices.registry.cleanup()).toMatchObject({ reducedAddresses: 0 })
        expect(await only()).toMatchObject({ address, lastAddress: address })
        days(1)
        await devices.registry.cleanup({ dryRun: true })
        expect(await only()).toMatchObject({ address, lastAddress: address })
        expect(await devices.registry.cleanup()).toMatchObject({ reducedAddresses: 2, revoked: 0 })
        expect(await only()).toMatchObject({ address: network, lastAddress: network, city })
        expect(await devices.registry.cleanup()).toMatchObject({ reducedAddresses: 0 })
        days(150)
        await devices.registry.cleanup()
        expect(await only()).toMatchObject({
          address: null,
          lastAddress: null,
          city: null,
          country: city && 'DE',
        })
        expect(await devices.registry.cleanup()).toMatchObject({ reducedAddresses: 0 })
      },
    )

    it('of the login is reduced while the device is in use; that of the latest use is kept', async () => {
      const { devices } = await open()
      const browser = new Browser(devices)
      await browser.login()
      for (let week = 0; week < 5; week++) {
        days(7)
        expect(await browser.visit()).not.toBeNull()
      }
      await devices.registry.cleanup()
      expect(await only()).toMatchObject({ address: '203.0.113.0/24', lastAddress: IPV4 })
      browser.address = '198.51.100.7'
      await browser.login()
      expect(await only()).toMatchObject({
        address: '198.51.100.7',
        lastAddress: '198.51.100.7',
        country: 'FR',
      })
      days(31)
      await devices.registry.cleanup()
      expect(await only()).toMatchObject({
        address: '198.51.100.0/24',
        lastAddress: '198.51.100.0/24',
      })
      browser.address = IPV6
      await browser.visit()
      expect(await only()).toMatchObject({ address: '198.51.100.0/24', lastAddress: IPV6 })
    })

    it('is kept forever without settings, and until networkRetention if only that is set', async () => {
      const { devices } = await open({ addressRetention: null, networkRetention: null })
      await new Browser(devices).login()
      days(3000)
      expect(await devices.registry.cleanup()).toMatchObject({ reducedAddresses: 0 })
      expect(await only()).toMatchObject({ address: IPV4 })
      expect(await house.reopen({ networkRetention: 180 * DAY }).registry.cleanup()).toMatchObject({
        reducedAddresses: 2,
      })
      expect(await only()).toMatchObject({
        address: null,
        lastAddress: null,
        city: null,
        country: 'DE',
      })
    })

    it('is reduced in batches, and a shorter setting applies to stored addresses', async () => {
      const { devices, sql } = await open()
      const columns =
        'uid, user_id, name, user_agent, created_at, last_seen_at, proved_at, can_delete_others, can_edit_others, token_generation, token_counter, token_issued_at, credential_counter, address, network, last_address, last_network, city, signed_in_at, countries, token_late'
      const now = house.clock() - 2 * DAY * 1000
      const flag = sql.dialect === 'postgres' ? 'true' : '1'
      const rows = Array.from({ length: 450 }, (_, index) => {
        const uid = `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`
        const address =
          index % 9 === 0 ? 'NULL, NULL' : `'198.51.${index % 200}.7', '198.51.${index % 200}.0/24'`
        return `('${uid}', 'u${index}', '', '', ${now}, ${now}, ${now}, ${flag}, ${flag}, 1, 0, ${now}, 0, ${address}, '2001:db8::${index + 1}', '2001:db8::/48', ${index % 2 ? "'Bern'" : 'NULL'}, ${now}, '[]', 0)`
      })
      await sql.execute(`INSERT INTO quillgate_device (${columns}) VALUES ${rows.join(', ')}`)
      expect(await devices.registry.cleanup()).toMatchObject({ reducedAddresses: 0 })
      expect(await house.reopen({ addressRetention: DAY }).registry.cleanup()).toMatchObject({
        reducedAddresses: 850,
      })
      const { devices: left } = await devices.registry.listAll({ limit: 100 })
      for (const row of left) {
        expect(String(row.address)).toMatch(/^(null|198\.51\.\d+\.0\/24)$/)
        expect(row.lastAddress).toBe('2001:db8::/48')
      }
      expect(await house.reopen({ addressRetention: DAY }).registry.cleanup()).toMatchObject({
        reducedAddresses: 0,
      })
    })

    it('that a login writes while the old address is reduced is kept', async () => {
      const { devices, url, clock } = await open()
      const browser = new Browser(devices)
      await browser.login()
      days(31)
      const database = openDatabase(url)
      const db = new DeviceDatabase(database, 'quillgate_')
      const retention = { addressRetention: 30 * DAY, networkRetention: null }
      const { executor } = db
      let logins = 0
      const interrupted: SqlExecutor = {
        ...executor,
        async query(sql, params) {
          const rows = await executor.query(sql, params)
          if (rows.length > 0 && logins++ === 0)
            await Object.assign(browser, { address: '192.0.2.44' }).login()
          return rows
        },
      }
      expect(await reduceAddresses(db.on(interrupted), addressCutoffs(retention, clock()))).toBe(0)
      expect(logins).toBe(1)
      expect(await only()).toMatchObject({
        address: '192.0.2.44',
        lastAddress: '192.0.2.44',
        country: 'JP',
      })
      await database.close()
    })
  })

  describe('a retention setting', () => {
    it('of 0 for networks stores no address', async () => {
      const { devices, sql, signals } = await open({ ...NO_ADDRESSES, lastSeenInterval: 0 })
      const browser = new Browser(devices)
      const { device } = await browser.login()
      days(1)
      await browser.visit()
      expect(device).toMatchObject({
        address: null,
        lastAddress: null,
        country: 'DE',
        city: null,
      })
      expect(await only()).toMatchObject({ address: null, lastAddress: null, country: 'DE' })
      expect(
        JSON.stringify([signals.events, await sql.query('SELECT * FROM quillgate_device')]),
      ).not.toContain('203.0')
    })

    it('of 0 applies to stored addresses after a cleanup', async () => {
      const { devices, sql } = await open()
      await new Browser(devices).login()
      house.clock.advance(1)
      const short = house.reopen({ addressRetention: 0 })
      expect(await short.registry.cleanup()).toMatchObject({ reducedAddresses: 2 })
      expect(await only()).toMatchObject({ address: '203.0.113.0/24', city: 'Berlin' })
      const none = house.reopen({ addressRetention: 0, networkRetention: 0 })
      expect(await none.registry.cleanup()).toMatchObject({ reducedAddresses: 2 })
      expect(JSON.stringify(await sql.query('SELECT * FROM quillgate_device'))).not.toContain(
        '203.0',
      )
      expect(await only()).toMatchObject({ address: null, lastAddress: null, city: null })
      expect(await none.registry.cleanup()).toMatchObject({ reducedAddresses: 0 })
    })

    it('of 0 for addresses stores only networks', async () => {
      const { devices, sql } = await open({ addressRetention: 0, lastSeenInterval: 0 })
      const browser = new Browser(devices)
      const { device } = await browser.login()
      await browser.visit()
      expect(device).toMatchObject({ address: '203.0.113.0/24', city: 'Berlin' })
      expect(await only()).toMatchObject({ lastAddress: '203.0.113.0/24' })
      expect(JSON.stringify(await sql.query('SELECT * FROM quillgate_device'))).not.toContain(IPV4)
    })

    it('does not affect the login limit, which counts the real address', async () => {
      const { devices } = await open({ ...NO_ADDRESSES, loginRateLimit: '2/minute' })
      const statuses: number[] = []
      for (const address of [IPV4, IPV4, IPV4, '192.0.2.44']) {
        statuses.push((await new BearerClient(devices, address).login()).status)
      }
      expect(statuses).toEqual([200, 200, 429, 200])
    })
  })
})
