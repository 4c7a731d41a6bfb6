import { createTrustedDevices, fromHeaders } from '@quillgate/trusted-devices'
import { createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { describe, expect, it } from 'vitest'
import {
  createDevices,
  type TestDevices,
  type TestDevicesOptions,
} from './support/create-devices.ts'
import { SECRET } from './support/house.ts'

const users = createMemoryUsers([])
const create = (options: object): unknown =>
  createDevices({
    secret: SECRET,
    database: 'sqlite::memory:',
    users,
    ...options,
  } as TestDevicesOptions)

describe('createTrustedDevices', () => {
  it('is synchronous and opens no connection', () => {
    expect(create({ database: 'postgres://127.0.0.1:9/none' })).toMatchObject({
      ready: expect.any(Function),
    })
  })

  it.each<[object, RegExp]>([
    [{ secret: 'short' }, /secret/],
    [{ secret: undefined }, /secret/],
    [{ secret: [] }, /secret/],
    [{ database: 'nonsense' }, /database/],
    [{ database: undefined }, /database is required/],
    [{ database: 5 }, /database must be a URL .*Kysely/],
    [{ users: undefined }, /users is required/],
    [{ users: null }, /users must have findById/],
    [{ users: {} }, /users must have findById/],
    [
      { users: { findById: () => null, verifyCredentials: 'yes' } },
      /users\.verifyCredentials .*"yes"/,
    ],
    [
      { users: { findById: () => null, verifyCredential: () => null } },
      /users\.verifyCredential is not a known method\. Perhaps verifyCredentials is meant/,
    ],
    [
      { locate: fromHeaders('cf-ipcountry') },
      /trustedProxies is required if locate is fromHeaders/,
    ],
    [
      { locate: fromHeaders('cf-ipcountry'), trustedProxies: [] },
      /trustedProxies is required if locate is fromHeaders/,
    ],
    [{ locate: 'nodots' }, /locate .*"nodots"/],
    [{ locate: null }, /locate/],
    [{ receivers: './receivers.js' }, /receivers/],
    [{ basePath: 'devices' }, /basePath .*"devices"/],
    [{ basePath: '/../devices' }, /basePath/],
    [{ publicOrigin: 'example.com' }, /publicOrigin/],
    [{ trustedProxies: ['10.0.0.0/99'] }, /trustedProxies/],
    [{ trustedProxies: null }, /trustedProxies/],
    [{ trustedProxies: '' }, /trustedProxies/],
    [{ trustedProxies: false }, /trustedProxies/],
    [{ csrf: {} }, /csrf/],
    [{ maxDevices: 5 }, /maxDevices is not an option/],
    [{ receiver: 'x' }, /receiver is not an option\. Perhaps receivers is meant/],
    [{ settings: null }, /settings must be an object/],
    [{ rateLimiter: 5 }, /rateLimiter must have penalty/],
    [{ logger: 5 }, /logger must have warn\(\), error\(\)/],
    [{ migrate: 'no' }, /migrate .*"no"/],
    [{ clock: 5 }, /clock/],
  ])('rejects %j and names the option', (options, message) => {
    expect(() => create(options)).toThrow(message)
    expect(() => create(options)).toThrow(expect.objectContaining({ code: 'configuration_error' }))
  })

  it('accepts users with further methods, even with similar names', () => {
    class Accounts {
      findById = () => null
      findByIds = () => []
      activate() {}
    }
    expect(create({ users: new Accounts() })).toMatchObject({ ready: expect.any(Function) })
  })

  it('rejects calls without an application object or options', () => {
    const createWith = createTrustedDevices as (gate?: object, options?: object) => unknown
    expect(() => createWith({ users: {} })).toThrow(/needs an application object: createQuillgate/)
    const { gate } = create({}) as TestDevices
    expect(() => createWith(gate)).toThrow(
      expect.objectContaining({ message: 'options must be an object.' }),
    )
  })

  it('never prints the value of an unknown option or setting, because it may be a secret', () => {
    const wrong = [
      { secrets: 'hunter2' },
      { databaseUrl: 'postgres://ada:hunter2@db/x' },
      { settings: { key: 'hunter2' } },
    ]
    for (const options of wrong) {
      expect(() => create(options)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
      )
    }
  })

  it.each<[object, RegExp]>([
    [{ maxDevices: 0 }, /settings\.maxDevices .*got 0/],
    [{ maxDevices: -1 }, /settings\.maxDevices .*got -1/],
    [{ maxDevices: '2' }, /settings\.maxDevices .*got "2"/],
    [{ maxDevices: 2.5 }, /settings\.maxDevices/],
    [{ maxDevice: 2 }, /settings\.maxDevice is not a setting/],
    [{ __proto__x: 2 }, /is not a setting/],
    [{ staleAfter: 0 }, /settings\.staleAfter/],
    [{ staleAfter: '90d' }, /settings\.staleAfter/],
    [{ staleAfter: 119 }, /settings\.staleAfter must be at least 120 s.*got 119/],
    [{ staleAfter: 1e12 }, /settings\.staleAfter/],
    [{ accessTokenLifetime: 0 }, /settings\.accessTokenLifetime/],
    [{ accessTokenLifetime: 1e12 }, /settings\.accessTokenLifetime/],
    [{ deleteDelay: 1e12 }, /settings\.deleteDelay/],
    [{ receiverTimeout: 2_147_484 }, /settings\.receiverTimeout/],
    [{ refreshTokenLifetime: 0 }, /settings\.refreshTokenLifetime/],
    [{ refreshTokenLifetime: Number.NaN }, /settings\.refreshTokenLifetime/],
    [{ refreshTokenLifetime: Number.POSITIVE_INFINITY }, /settings\.refreshTokenLifetime/],
    [{ refreshGrace: -1 }, /settings\.refreshGrace/],
    [{ receiverTimeout: null }, /settings\.receiverTimeout/],
    [{ allowGlobalDelete: 'no' }, /settings\.allowGlobalDelete/],
    [{ allowGlobalDelete: null }, /settings\.allowGlobalDelete/],
    [{ stepUpAge: 0 }, /settings\.stepUpAge/],
    [{ loginRateLimit: 5 }, /settings\.loginRateLimit/],
    [{ loginRateLimit: '5/day' }, /settings\.loginRateLimit .*"5\/day"/],
    [{ maxSessionAge: 0 }, /settings\.maxSessionAge/],
    [{ addressRetention: -1 }, /settings\.addressRetention/],
    [{ networkRetention: 0 }, /settings\.networkRetention .*addressRetention/],
    [{ outbox: 'yes' }, /settings\.outbox/],
  ])('rejects the settings %j and names the value (S19)', (settings, message) => {
    expect(() => create({ settings })).toThrow(message)
    expect(() => create({ settings })).toThrow(
      expect.objectContaining({ code: 'configuration_error', status: 500 }),
    )
  })

  it('returns every setting by name, with its default', () => {
    const devices = createDevices({
      secret: SECRET,
      database: 'sqlite::memory:',
      users,
      settings: { maxDevices: 5, stepUpAge: undefined },
    })
    expect(devices.getSetting('maxDevices')).toBe(5)
    expect(devices.getSetting('staleAfter')).toBe(90 * 86_400)
    expect(devices.getSetting('refreshGrace')).toBe(30)
    expect(devices.getSetting('stepUpAge')).toBeNull()
    expect(devices.getSetting('loginRateLimit')).toBe('5/minute')
    expect(devices.getSetting('maxSessionAge')).toBeNull()
    expect(() => devices.getSetting('nope' as never)).toThrow(
      expect.objectContaining({ code: 'unknown_setting' }),
    )
    expect(() => devices.getSetting('constructor' as never)).toThrow(/constructor/)
  })
})

describe('users.parseId', () => {
  it('converts the id that findById receives', async () => {
    const asked: unknown[] = []
    const devices = createDevices({
      secret: SECRET,
      database: 'sqlite::memory:',
      users: {
        parseId: Number,
        findById: (id: number) => {
          asked.push(id)
          return { id }
        },
      },
    })
    const request = new Request('http://localhost/')
    const { headers, device } = await devices.login({ id: 7 }, { request }, { transport: 'cookie' })
    expect(device.userId).toBe('7')
    const cookie = headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const session = await devices.authenticate({
      request: new Request('http://localhost/', { headers: { cookie } }),
    })
    expect(session?.user).toEqual({ id: 7 })
    expect(asked).toEqual([7])
    await devices.registry.revokeAll('not a number')
    expect(asked).toEqual([7])
    await devices.close()
  })

  it.each([undefined, null, '', {}, 1.5, 'x'.repeat(251), 'a\0b', 'a\ud800'])(
    'rejects a user with the id %j',
    async (id) => {
      const devices = createDevices({ secret: SECRET, database: 'sqlite::memory:', users })
      const login = devices.login(
        { id } as never,
        { request: new Request('http://localhost/') },
        { transport: 'cookie' },
      )
      await expect(login).rejects.toMatchObject({ code: 'invalid_user' })
      await devices.close()
    },
  )
})

describe('the database', () => {
  it('has the final schema, which can be exported for other tools', async () => {
    const { migrationSql } = await import('@quillgate/server/database')
    const { deviceMigrations } = await import('@quillgate/trusted-devices')
    for (const dialect of ['sqlite', 'postgres', 'mariadb'] as const) {
      const sql = migrationSql(deviceMigrations, dialect, { prefix: 'app_' })
      expect(sql.match(/CREATE TABLE IF NOT EXISTS app_\w+/g)).toEqual([
        'CREATE TABLE IF NOT EXISTS app_migrations',
        'CREATE TABLE IF NOT EXISTS app_device_owner',
        'CREATE TABLE IF NOT EXISTS app_device',
        'CREATE TABLE IF NOT EXISTS app_device_revoked',
        'CREATE TABLE IF NOT EXISTS app_device_job',
      ])
    }
  })

  it('gets no tables with migrate: false', async () => {
    const { openDatabase } = await import('@quillgate/server/database')
    const database = openDatabase('sqlite::memory:')
    const options = { secret: SECRET, database: database.kysely, users }
    const bare = createDevices({ ...options, migrate: false })
    await expect(bare.registry.list('1')).rejects.toThrow(/quillgate_device/)
    const migrating = createDevices(options)
    expect(await migrating.registry.list('1')).toEqual({ devices: [], nextCursor: null })
    await migrating.close()
    await database.close()
  })
})
