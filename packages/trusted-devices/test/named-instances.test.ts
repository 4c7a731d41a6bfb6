import { createQuillgate, type Quillgate } from '@quillgate/server'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import { createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createMemoryRateStore } from '../../server/src/http/rate-limit/memory-rate-store.ts'
import { BearerClient, Browser, jsonOf, problemOf, send } from './support/client.ts'
import {
  createDevices,
  type TestDevices,
  type TestDevicesOptions,
} from './support/create-devices.ts'
import { type House, openHouse, SECRET } from './support/house.ts'

const user = (username: string) => createMemoryUsers([{ id: '1', username, password: 'pw' }])
const STAFF = { name: 'staff', basePath: '/staff/devices' }
const CUSTOMERS = { name: 'customers', basePath: '/devices' }

/** Browsers with the same `cookies` act as one browser for both instances. */
function browserAt(devices: TestDevices, cookies: Browser['cookies']): Browser {
  return Object.assign(new Browser(devices), { cookies })
}

describeDatabases((engine) => {
  let house: House
  afterEach(() => house.close())

  async function openBoth(more: Partial<TestDevicesOptions> = {}) {
    house = await openHouse(engine)
    const staff = house.reopenWith({ ...STAFF, users: user('root'), ...more })
    const customers = house.reopenWith({ ...CUSTOMERS, users: user('ada'), ...more })
    return { staff, customers }
  }

  describe('two named instances with one database and one origin', () => {
    it('keep a browser signed in to both, and sign it out of one', async () => {
      const { staff, customers } = await openBoth()
      const cookies: Browser['cookies'] = new Map()
      const [atWork, atHome] = [browserAt(staff, cookies), browserAt(customers, cookies)]
      await atWork.login()
      await atHome.login()
      await atWork.login() // The second login keeps the device, because its credential was kept.
      expect((await staff.registry.list('1')).devices).toHaveLength(1)
      expect([...cookies.keys()].filter((name) => name.endsWith('_session')).sort()).toEqual([
        'quillgate_customers_session',
        'quillgate_staff_session',
      ])
      expect([await atWork.visit(), await atHome.visit()]).toMatchObject([
        { user: { id: '1' } },
        { user: { id: '1' } },
      ])
      expect((await atHome.send('POST', '/devices/logout')).status).toBe(204)
      expect(await atHome.visit()).toBeNull()
      expect(await atWork.visit()).not.toBeNull()
    })

    it('have separate tables and migrations', async () => {
      const { staff, customers } = await openBoth()
      await Promise.all([staff.ready(), customers.ready()])
      await new Browser(staff).login()
      const count = async (table: string) =>
        (await house.sql.query(`SELECT * FROM ${table}`)).length
      const tables = ['quillgate_staff_device', 'quillgate_customers_device', 'quillgate_device']
      expect(await Promise.all(tables.map(count))).toEqual([1, 0, 0])
      expect(await count('quillgate_staff_migrations')).toBe(
        await count('quillgate_customers_migrations'),
      )
      expect((await staff.registry.list('1')).devices).toHaveLength(1)
      expect((await customers.registry.list('1')).devices).toEqual([])
    })

    it("reject each other's tokens", async () => {
      const { staff, customers } = await openBoth()
      const browser = new Browser(customers)
      const { tokens } = await customers.login({ id: '1' }, browser.context('/'), {
        transport: 'bearer',
      })
      await browser.login()
      for (const [name, value] of [...browser.cookies]) {
        browser.cookies.set(name.replace('customers', 'staff'), value)
      }
      expect(await staff.authenticate(browser.context('/'))).toBeNull()
      const rejected = await Promise.all([
        send(staff, 'GET', '/staff/devices', {
          headers: { authorization: `Bearer ${tokens?.access}` },
        }),
        send(staff, 'POST', '/staff/devices/token/refresh', { json: { refresh: tokens?.refresh } }),
        send(staff, 'POST', '/staff/devices/token/verify', { json: { token: tokens?.access } }),
      ])
      expect(await Promise.all(rejected.map(problemOf))).toEqual([
        '401 authentication_required',
        '401 token_invalid',
        '401 token_invalid',
      ])
      const { returning } = await staff.login({ id: '1' }, browser.context('/'), {
        transport: 'bearer',
        ...(tokens && { deviceCredential: tokens.deviceCredential }),
      })
      expect(returning).toBe(false)
    })

    it('count logins separately, even in one store', async () => {
      const rateLimiter = createMemoryRateStore()
      const settings = { loginRateLimit: '2/minute' }
      const { staff, customers } = await openBoth({ rateLimiter, settings })
      const tryIn = async (devices: TestDevices, path: string, username: string) => {
        const json = { username, password: 'wrong' }
        return (await send(devices, 'POST', path, { address: '203.0.113.10', json })).status
      }
      const statuses = []
      for (let count = 0; count < 3; count++)
        statuses.push(await tryIn(customers, '/devices/token', 'ada'))
      expect(statuses).toEqual([401, 401, 429])
      expect(await tryIn(staff, '/staff/devices/token', 'root')).toBe(401)
    })
  })
})

describe('the option name', () => {
  const database = 'sqlite::memory:'
  const opened: TestDevices[] = []
  const open = (more: Partial<TestDevicesOptions> = {}): TestDevices => {
    const devices = createDevices({ secret: SECRET, database, users: user('ada'), ...more })
    opened.push(devices)
    return devices
  }
  afterEach(async () => {
    for (const devices of opened.splice(0)) await devices.close()
  })

  it.each(['', 'Staff', '1st', 'staff_', 'a-', '-a', 'a.b', 'a'.repeat(17), 5, null])(
    'rejects %j',
    (name) => {
      expect(() => open({ name: name as string })).toThrow(
        /^name must be 1 to 16 lower case letters/,
      )
    },
  )

  it('is part of the API document and of the audience of access tokens', async () => {
    const devices = open({ name: 'staff-2' })
    const { securitySchemes } = devices.openApi().components as Record<
      string,
      Record<string, { name?: string }>
    >
    expect(securitySchemes?.['session_staff-2']?.name).toBe('__Host-quillgate_staff-2_session')
    const client = new BearerClient(devices)
    await client.login()
    const payload = JSON.parse(
      Buffer.from(client.access.split('.')[1] ?? '', 'base64url').toString(),
    )
    expect(payload.aud).toBe('quillgate:trusted-devices:staff-2')
    expect((await jsonOf(await client.send('GET', '/trusted-devices')))['devices']).toHaveLength(1)
  })
})

describe('two instances on one application object', () => {
  const gates: Quillgate[] = []
  const openGate = (): Quillgate => {
    const gate = createQuillgate({ secret: SECRET, database: 'sqlite::memory:' })
    gates.push(gate)
    return gate
  }
  afterEach(async () => {
    for (const gate of gates.splice(0)) await gate.close()
  })

  it.each([
    ['/devices', '/devices'],
    ['/devices', '/devices/staff'],
    ['/devices/staff', '/devices'],
  ])('cannot serve the same paths: %s and %s', (first, second) => {
    const gate = openGate()
    createTrustedDevices(gate, { name: 'customers', basePath: first, users: user('ada') })
    expect(() =>
      createTrustedDevices(gate, { name: 'staff', basePath: second, users: user('root') }),
    ).toThrow(/trusted-devices:staff cannot have the path .*Set another basePath/)
  })

  it('serve their own endpoints', async () => {
    const gate = openGate()
    const staff = createTrustedDevices(gate, { ...STAFF, users: user('root') })
    const customers = createTrustedDevices(gate, { ...CUSTOMERS, users: user('ada') })
    for (const [devices, username] of [
      [staff, 'root'],
      [customers, 'ada'],
    ] as const) {
      const sent = new Request(`http://localhost${devices.url('token')}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password: 'pw' }),
      })
      expect((await gate.fetch(sent, { address: '203.0.113.10' })).status).toBe(200)
      expect((await devices.registry.list('1')).devices).toHaveLength(1)
    }
  })
})
