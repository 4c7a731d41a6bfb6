import { openDatabase, type SqlExecutor } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import type { Settings, TrustedDevice } from '@quillgate/trusted-devices'
import { afterEach, describe, expect, it } from 'vitest'
import { createDeviceAddresses } from '../../src/devices/tables/device-addresses.ts'
import { createDeviceDatabase } from '../../src/devices/tables/device-database.ts'
import { createAddressPolicy } from '../../src/privacy/address-policy.ts'
import { BearerClient, Browser } from '../support/client.ts'
import { type House, openHouse, SECRET } from '../support/house.ts'

const DAY = 86_400
const IPV4 = '203.0.113.10'
const IPV6 = '2001:db8:1234:5678:9abc::1'
const HASH = /^hmac-sha256:[0-9a-f]{64}$/

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())
  const open = async (settings: Partial<Settings> = {}): Promise<House> => {
    house = await openHouse(engine, {
      staleAfter: null,
      refreshTokenLifetime: 90 * DAY,
      ...settings,
    })
    return house
  }
  const days = (count: number) => house.clock.advance(count * DAY * 1000)
  const only = async (): Promise<TrustedDevice> => {
    const { devices } = await house.devices.list('1')
    expect(devices).toHaveLength(1)
    return devices[0] as TrustedDevice
  }

  describe('an address', () => {
    it.each([
      [IPV4, '203.0.113.0/24', 'Berlin'],
      [IPV6, '2001:db8:1234::/48', null],
    ])(
      '%s becomes its network after addressRetention, and goes after networkRetention',
      async (address, network, city) => {
        const { devices } = await open()
        await new Browser(devices, { address }).login()
        expect(await only()).toMatchObject({ address, lastAddress: address, city })
        days(30)
        expect(await devices.cleanup()).toMatchObject({ reducedAddresses: 0 })
        expect(await only()).toMatchObject({ address, lastAddress: address })
        days(1)
        expect(await devices.cleanup({ dryRun: true })).toMatchObject({ reducedAddresses: 2 })
        expect(await only()).toMatchObject({ address, lastAddress: address })
        expect(await devices.cleanup()).toMatchObject({ reducedAddresses: 2, revoked: 0 })
        expect(await only()).toMatchObject({ address: network, lastAddress: network, city })
        expect(await devices.cleanup()).toMatchObject({ reducedAddresses: 0 })
        days(150)
        await devices.cleanup()
        expect(await only()).toMatchObject({
          address: null,
          lastAddress: null,
          city: null,
          country: city && 'DE',
        })
        expect(await devices.cleanup()).toMatchObject({ reducedAddresses: 0 })
      },
    )

    it('of the login goes while the device is in use; that of the latest use stays', async () => {
      const { devices } = await open()
      const browser = new Browser(devices)
      await browser.login()
      for (let week = 0; week < 5; week++) {
        days(7)
        expect(await browser.visit()).not.toBeNull()
      }
      await devices.cleanup()
      expect(await only()).toMatchObject({ address: '203.0.113.0/24', lastAddress: IPV4 })
      browser.address = '198.51.100.7'
      await browser.login()
      expect(await only()).toMatchObject({
        address: '198.51.100.7',
        lastAddress: '198.51.100.7',
        country: 'FR',
      })
      days(31)
      await devices.cleanup()
      expect(await only()).toMatchObject({
        address: '198.51.100.0/24',
        lastAddress: '198.51.100.0/24',
      })
      browser.address = IPV6
      await browser.visit()
      expect(await only()).toMatchObject({ address: '198.51.100.0/24', lastAddress: IPV6 })
    })

    it('of the user’s other devices is reduced by a login, so that it needs no cleanup', async () => {
      const { devices } = await open()
      await new Browser(devices).login()
      const grace = new BearerClient(devices)
      await grace.login('grace')
      days(31)
      const phone = new Browser(devices, { address: IPV6 })
      const { device } = await phone.login()
      const all = (await devices.list('1')).devices
      expect(all.find(({ uid }) => uid !== device.uid)).toMatchObject({
        address: '203.0.113.0/24',
        city: 'Berlin',
      })
      expect(all.find(({ uid }) => uid === device.uid)).toMatchObject({ address: IPV6 })
      expect((await devices.list('2')).devices).toMatchObject([{ address: IPV4 }])
    })

    it('is kept for ever when nothing says otherwise, and until networkRetention when only that does', async () => {
      const { devices } = await open({ addressRetention: null, networkRetention: null })
      await new Browser(devices).login()
      days(3000)
      expect(await devices.cleanup()).toMatchObject({ reducedAddresses: 0 })
      expect(await only()).toMatchObject({ address: IPV4 })
      expect(await house.reopen({ networkRetention: 180 * DAY }).cleanup()).toMatchObject({
        reducedAddresses: 4,
      })
      expect(await only()).toMatchObject({
        address: null,
        lastAddress: null,
        city: null,
        country: 'DE',
      })
    })

    it('is reduced in batches, however many there are, and a shorter setting holds for those of before', async () => {
      const { devices, sql } = await open()
      const columns =
        'uid, user_id, name, user_agent, created_at, last_seen_at, proved_at, can_delete_others, can_edit_others, token_family, token_counter, token_issued_at, credential_counter, address, last_address, city'
      const now = house.clock() - 2 * DAY * 1000
      const flag = sql.dialect === 'postgres' ? 'true' : '1'
      const rows = Array.from({ length: 450 }, (_, index) => {
        const uid = `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`
        const address = index % 9 === 0 ? 'NULL' : `'198.51.${index % 200}.7'`
        return `('${uid}', 'u${index}', '', '', ${now}, ${now}, ${now}, ${flag}, ${flag}, 1, 0, ${now}, 0, ${address}, '2001:db8::${index + 1}', ${index % 2 ? "'Bern'" : 'NULL'})`
      })
      await sql.execute(`INSERT INTO quillgate_device (${columns}) VALUES ${rows.join(', ')}`)
      await sql.execute(`UPDATE quillgate_device SET signed_in_at = ${now}`)
      expect(await devices.cleanup()).toMatchObject({ reducedAddresses: 0 })
      expect(await house.reopen({ addressRetention: DAY }).cleanup()).toMatchObject({
        reducedAddresses: 900,
      })
      const left = await sql.query('SELECT address, last_address FROM quillgate_device')
      expect(left).toHaveLength(450)
      for (const row of left) {
        expect(String(row['address'])).toMatch(/^(null|198\.51\.\d+\.0\/24)$/)
        expect(row['last_address']).toBe('2001:db8::/48')
      }
      expect(await house.reopen({ addressRetention: DAY }).cleanup()).toMatchObject({
        reducedAddresses: 0,
      })
    })

    it('that a login writes while the old one is reduced is not lost', async () => {
      const { devices, url, clock } = await open()
      const browser = new Browser(devices)
      await browser.login()
      days(31)
      const database = openDatabase(url)
      const { executor, ...db } = createDeviceDatabase(database, 'quillgate_')
      const policy = createAddressPolicy({
        storage: 'full',
        addressRetention: 30 * DAY,
        networkRetention: null,
        keys: [Buffer.alloc(32)],
      })
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
      expect(
        await createDeviceAddresses({ ...db, executor }, policy).reduce(interrupted, clock()),
      ).toBe(0)
      expect(logins).toBe(1)
      expect(await only()).toMatchObject({
        address: '192.0.2.44',
        lastAddress: '192.0.2.44',
        country: 'JP',
      })
      await database.close()
    })
  })

  describe('addressStorage', () => {
    it('hashed: equal addresses are told to be equal, and nothing more', async () => {
      const { devices, sql } = await open({ addressStorage: 'hashed' })
      const browser = new Browser(devices)
      const { device } = await browser.login()
      expect(device.address).toMatch(HASH)
      expect(device).toMatchObject({ lastAddress: device.address, country: 'DE', city: 'Berlin' })
      const app = new BearerClient(devices)
      await app.login('grace')
      expect((await devices.list('2')).devices[0]?.address).toBe(device.address)
      days(1)
      browser.address = '203.0.113.20'
      await browser.visit()
      const { lastAddress } = await only()
      expect(lastAddress).toMatch(HASH)
      expect(lastAddress).not.toBe(device.address)
      await app.refreshTokens()
      expect(JSON.stringify(await sql.query('SELECT * FROM quillgate_device'))).not.toContain(
        '203.0.113',
      )
      days(31)
      await devices.cleanup()
      expect(await only()).toMatchObject({
        address: null,
        lastAddress: null,
        city: 'Berlin',
        country: 'DE',
      })
    })

    it('hashes are of no use without the secret', async () => {
      const { devices } = await open({ addressStorage: 'hashed' })
      const { device } = await new Browser(devices).login()
      const other = house.reopenWith({
        secret: `${SECRET}, another one`,
        settings: { addressStorage: 'hashed' },
      })
      const { device: twin } = await new Browser(other).login()
      expect(twin.address).toMatch(HASH)
      expect(twin.address).not.toBe(device.address)
    })

    it('none: no address reaches the database', async () => {
      const { devices, sql, signals } = await open({ addressStorage: 'none', lastSeenInterval: 0 })
      const browser = new Browser(devices)
      const { device } = await browser.login()
      days(1)
      await browser.visit()
      expect(device).toMatchObject({
        address: null,
        lastAddress: null,
        country: 'DE',
        city: 'Berlin',
      })
      expect(await only()).toMatchObject({ address: null, lastAddress: null })
      expect(
        JSON.stringify([signals.events, await sql.query('SELECT * FROM quillgate_device')]),
      ).not.toContain('203.0')
      days(181)
      await devices.cleanup()
      expect(await only()).toMatchObject({ city: null, country: 'DE' })
    })

    it.each(['hashed', 'none'] as const)(
      'a change to %s holds for what was kept before, after a cleanup',
      async (addressStorage) => {
        const { devices, sql } = await open()
        await new Browser(devices).login()
        expect(await house.reopen({ addressStorage }).cleanup()).toMatchObject({
          reducedAddresses: 2,
        })
        expect(JSON.stringify(await sql.query('SELECT * FROM quillgate_device'))).not.toContain(
          IPV4,
        )
        if (addressStorage === 'hashed') expect((await only()).address).toMatch(HASH)
        else expect(await only()).toMatchObject({ address: null, lastAddress: null })
        expect(await house.reopen({ addressStorage }).cleanup()).toMatchObject({
          reducedAddresses: 0,
        })
      },
    )

    it('a limit of logins still counts the true address', async () => {
      const { devices } = await open({ addressStorage: 'none', loginRateLimit: '2/minute' })
      const statuses: number[] = []
      for (const address of [IPV4, IPV4, IPV4, '192.0.2.44']) {
        statuses.push((await new BearerClient(devices, address).login()).status)
      }
      expect(statuses).toEqual([200, 200, 429, 200])
    })
  })
})
