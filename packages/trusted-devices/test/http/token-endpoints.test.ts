import { sqliteEngine } from '@quillgate/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, jsonOf, problemOf, send } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

let house: House
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
})
afterEach(() => house.close())

describe('POST /trusted-devices/token', () => {
  const token = (json: unknown): Promise<Response> =>
    send(house.devices, 'POST', '/trusted-devices/token', { json })

  it('returns tokens, the uid and a device credential, and sets no cookie', async () => {
    const response = await token({ username: 'ada', password: 'pw' })
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()).toEqual([])
    expect(Object.keys(await jsonOf(response))).toEqual([
      'access',
      'refresh',
      'device_uid',
      'device_credential',
    ])
  })

  it('answers equally for a wrong password, an unknown user and a blocked user with a wrong password', async () => {
    house.users.set({ id: '3', username: 'gone', password: 'pw', active: false })
    const answers = await Promise.all(
      [
        { username: 'ada', password: 'no' },
        { username: 'nobody', password: 'pw' },
        { username: 'gone', password: 'no' },
      ].map(async (body) => {
        const response = await token(body)
        return [response.status, await jsonOf(response)]
      }),
    )
    expect(answers[0]).toMatchObject([401, { code: 'invalid_credentials' }])
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    expect(await problemOf(await token({ username: 'gone', password: 'pw' }))).toBe(
      '403 inactive_account',
    )
    expect(house.signals.events).toEqual([])
  })

  it.each([
    [{}],
    [{ username: 'ada' }],
    [{ username: '', password: 'pw' }],
    [{ username: 'ada', password: 7 }],
    [{ username: ['ada'], password: 'pw' }],
    [{ username: 'ada', password: 'x'.repeat(1025) }],
    [{ username: 'ada', password: 'pw', device_credential: 1 }],
    [[]],
    [null],
    ['ada'],
  ])('rejects %j', async (body) => {
    expect(await problemOf(await token(body))).toBe('400 invalid_request')
    expect((await house.devices.registry.list('1')).devices).toEqual([])
  })

  it('names the invalid properties', async () => {
    expect(await jsonOf(await token({ username: 7 }))).toMatchObject({
      errors: [{ field: 'username' }, { field: 'password' }],
    })
  })

  it('reads only JSON, of limited size', async () => {
    const post = (body: string, type: string | null): Promise<Response> =>
      send(house.devices, 'POST', '/trusted-devices/token', {
        body,
        headers: type ? { 'content-type': type } : {},
      })
    const good = '{"username":"ada","password":"pw"}'
    expect(
      await problemOf(await post('username=ada&password=pw', 'application/x-www-form-urlencoded')),
    ).toBe('415 unsupported_media_type')
    expect(await problemOf(await post(good, 'text/plain'))).toBe('415 unsupported_media_type')
    expect(await problemOf(await post('{"username": ', 'application/json'))).toBe(
      '400 malformed_json',
    )
    expect(await problemOf(await post('', 'application/json'))).toBe('400 malformed_json')
    expect(
      await problemOf(await post(`{"username":"${'a'.repeat(20_000)}"`, 'application/json')),
    ).toBe('413 body_too_large')
    expect(await problemOf(await post(`${'['.repeat(8000)}`, 'application/json'))).toBe(
      '400 invalid_request',
    )
    expect(
      await problemOf(await post(`${'['.repeat(8000)}${']'.repeat(8000)}`, 'application/json')),
    ).toBe('400 invalid_request')
    expect((await post(good, 'application/json; charset=utf-8')).status).toBe(200)
  })

  it('does not exist without verifyCredentials, and neither does reauthenticate', async () => {
    const { findById } = house.users
    const devices = house.reopenWith({ users: { findById } })
    expect(
      await problemOf(await send(devices, 'POST', '/trusted-devices/token', { json: {} })),
    ).toBe('404 not_found')
    expect(
      await problemOf(await send(devices, 'POST', '/trusted-devices/reauthenticate', { json: {} })),
    ).toBe('404 not_found')
  })
})

describe('POST /trusted-devices/token/refresh and /verify', () => {
  it.each([[{}], [{ refresh: 7 }], [{ refresh: '' }], [{ refresh: 'x'.repeat(5000) }], [[]]])(
    'reject %j',
    async (json) => {
      expect(
        await problemOf(
          await send(house.devices, 'POST', '/trusted-devices/token/refresh', { json }),
        ),
      ).toBe('400 invalid_request')
      expect(
        await problemOf(
          await send(house.devices, 'POST', '/trusted-devices/token/verify', { json }),
        ),
      ).toBe('400 invalid_request')
    },
  )

  it('return exactly the documented properties', async () => {
    const client = new BearerClient(house.devices)
    await client.login()
    const response = await client.send('POST', '/trusted-devices/token/refresh', {
      json: { refresh: client.refresh },
    })
    expect(Object.keys(await jsonOf(response))).toEqual(['access', 'refresh'])
  })
})
