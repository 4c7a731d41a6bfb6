import { sqliteEngine } from '@quillgate/server/testing'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jsonOf, send } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

let house: House
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
})
afterEach(() => house.close())

describe('the API document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const result = await validator.validate({ ...structuredClone(house.devices.openApi()) })
    expect(result.errors).toBeUndefined()
    expect([result.valid, validator.version]).toEqual([true, '3.1'])
  })

  it('lists the checks in the order in which an endpoint makes them', () => {
    expect(house.devices.openApi().info['description']).toContain(
      'method, authentication, CSRF token, path, rate limit, query, body.',
    )
  })

  it('says that the city is kept while the country of logins is unknown, like the country', () => {
    const { schemas } = house.devices.openApi().components
    const description = expect.stringMatching(/of the latest login whose country is known/)
    expect(schemas).toMatchObject({
      Device: { properties: { city: { description }, country: { description } } },
    })
  })

  it('is served as openapi.json', async () => {
    const response = await send(house.devices, 'GET', '/trusted-devices/openapi.json')
    expect([response.status, await jsonOf(response)]).toEqual([200, house.devices.openApi()])
    expect(house.devices.url('openApi')).toBe('/trusted-devices/openapi.json')
  })

  it('contains the paths of the endpoints that this instance has', () => {
    const devices = house.reopenWith({ basePath: '/api/devices', users: { findById: () => null } })
    const paths = Object.keys(devices.openApi().paths)
    expect(paths).toContain('/api/devices/{uid}')
    expect(paths).not.toContain('/api/devices/token')
    expect(paths).not.toContain('/api/devices/reauthenticate')
    expect(paths).toContain('/api/devices/token/refresh')
  })

  it('contains every endpoint name that url accepts', () => {
    const names = [
      'list',
      'token',
      'tokenRefresh',
      'tokenVerify',
      'reauthenticate',
      'logout',
      'revokeAll',
    ] as const
    const paths = house.devices.openApi().paths
    for (const name of names) expect(paths).toHaveProperty([house.devices.url(name)])
    expect(paths).toHaveProperty(['/trusted-devices/{uid}'])
  })
})
