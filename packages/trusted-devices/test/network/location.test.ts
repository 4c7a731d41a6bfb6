import { sqliteEngine } from '@quillgate/server/testing'
import {
  fromHeaders,
  type LocateFunction,
  type TrustedDevicesOptions,
} from '@quillgate/trusted-devices'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toLocation } from '../../src/network/location.ts'
import { send } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

let house: House
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
})
afterEach(() => house.close())

async function placeOf(
  locate: TrustedDevicesOptions['locate'],
  {
    address,
    headers = {},
    ...more
  }: { address?: string; headers?: Record<string, string>; [option: string]: unknown },
) {
  const warnings: unknown[] = []
  const logger = { warn: (message: string) => warnings.push(message), error: () => {} }
  const devices = house.reopenWith({ locate, logger, ...more })
  const response = await send(devices, 'POST', '/trusted-devices/token', {
    ...(address === undefined ? {} : { address }),
    headers,
    json: { username: 'ada', password: 'pw' },
  })
  expect(response.status).toBe(200)
  const [device] = (await devices.registry.list('1')).devices
  return {
    city: device?.city,
    country: device?.country,
    address: device?.address,
    warnings: warnings.length,
  }
}

describe('locate', () => {
  it('is called once per login, with the client address and the request', async () => {
    const asked: unknown[] = []
    const locate: LocateFunction = (address, { request }) => {
      asked.push([address, request.headers.get('x-test')])
      return { city: 'Bern', country: 'CH' }
    }
    expect(
      await placeOf(locate, { address: '8.8.8.8', headers: { 'x-test': 'yes' } }),
    ).toMatchObject({
      city: 'Bern',
      country: 'CH',
    })
    expect(asked).toEqual([['8.8.8.8', 'yes']])
  })

  it.each([
    '127.0.0.1',
    '10.0.0.5',
    '192.168.1.1',
    '172.16.0.1',
    '169.254.1.1',
    '::1',
    'fd00::1',
    'fe80::1',
    '::ffff:10.0.0.1',
  ])('is not called with the private address %s (S09)', async (address) => {
    const asked: string[] = []
    const place = await placeOf((each) => void asked.push(each), { address })
    expect(place).toMatchObject({ country: null })
    expect(asked).toEqual([])
  })

  it.each<[string, LocateFunction]>([
    [
      'throws',
      () => {
        throw new Error('no network')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no network'))],
    ['hangs', () => new Promise(() => {})],
  ])(
    'that %s leaves the place unknown, lets the login succeed, and logs a warning (S10)',
    async (_how, locate) => {
      expect(
        await placeOf(locate, {
          address: '8.8.8.8',
          settings: { ...house.settings, locateTimeout: 0.01 },
        }),
      ).toEqual({
        city: null,
        country: null,
        address: '8.8.8.8',
        warnings: 1,
      })
    },
  )

  it('may spell a country in several ways, without an alarm (S13)', async () => {
    for (const country of ['DE', 'de', ' DE ', 'De'])
      expect(await placeOf(() => ({ country }), { address: '8.8.8.8' })).toMatchObject({
        country: 'DE',
      })
    expect(house.signals.names()).not.toContain('suspicious_login')
  })

  it('can be missing', async () => {
    expect(await placeOf(undefined, { address: '8.8.8.8' })).toEqual({
      city: null,
      country: null,
      address: '8.8.8.8',
      warnings: 0,
    })
  })

  it('is not called for a login without an address', async () => {
    const locate = vi.fn(() => ({ city: 'Bern', country: 'CH' }))
    // The warning says that the address is missing.
    expect(await placeOf(locate, {})).toEqual({
      city: null,
      country: null,
      address: null,
      warnings: 1,
    })
    expect(locate).not.toHaveBeenCalled()
  })
})

describe('toLocation', () => {
  it.each([
    [
      { country: 'DE', city: 'Berlin' },
      { country: 'DE', city: 'Berlin' },
    ],
    [{ country: ' de ' }, { country: 'DE', city: null }],
    [{ country: 'XX' }, { country: null, city: null }],
    [{ country: 't1' }, { country: null, city: null }],
    [{ country: 'ZZ' }, { country: null, city: null }],
    [{ country: 'EU' }, { country: 'EU', city: null }],
    [{ country: 'uk' }, { country: 'UK', city: null }],
    [{ country: 'gb' }, { country: 'GB', city: null }],
    [{ country: 'XK' }, { country: 'XK', city: null }],
    [{ country: 'ﬁ' }, { country: 'ﬁ', city: null }], // The ligature `ﬁ` becomes FI in upper case.
    [{ country: 'Germany' }, { country: 'Germany', city: null }],
    [{ country: 'germany' }, { country: 'germany', city: null }],
    [{ country: 'DEU' }, { country: 'DEU', city: null }],
    [{ country: ' Côte\u202e\n d’Ivoire\0' }, { country: 'Côte   d’Ivoire', city: null }],
    [{ country: 'x'.repeat(100) }, { country: 'x'.repeat(100), city: null }],
    [{ country: 'x'.repeat(101) }, { country: null, city: null }],
    [{ country: 'x'.repeat(1000) }, { country: null, city: null }],
    ['Germany', { country: null, city: null }],
    [{ country: '' }, { country: null, city: null }],
    [{ country: ' \u200b\0' }, { country: null, city: null }],
    [
      { country: 7, city: {} },
      { country: null, city: null },
    ],
    [{ city: 'a\u0000b\nc' }, { country: null, city: 'a b c' }],
    [{ city: 'x'.repeat(1000) }, { country: null, city: 'x'.repeat(100) }],
    [null, { country: null, city: null }],
    [undefined, { country: null, city: null }],
  ])('cleans %j', (found, clean) => {
    expect(toLocation(found)).toEqual(clean)
  })

  it('returns a location that every database can store, for any input', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.string({ unit: 'binary' })),
        fc.string({ unit: 'binary' }),
        (country, city) => {
          const location = toLocation({ country, city })
          expect(location.country ?? 'DE').not.toMatch(/[\p{Cc}\p{Bidi_Control}]|^\s|\s$|^$/u)
          expect((location.country ?? '').isWellFormed()).toBe(true)
          expect((location.country ?? '').length).toBeLessThanOrEqual(100)
          expect(location.city ?? '').not.toMatch(/\p{Cc}/u)
          expect((location.city ?? '').isWellFormed()).toBe(true)
        },
      ),
    )
  })
})

describe('a country that is not a code', () => {
  it.each(['Germany', 'DEU', 'Deutschland', 'UK'])(
    'is stored: %s, and suspicious_login is published for another one',
    async (home) => {
      const countries = [home, 'France']
      const devices = house.reopenWith({
        locate: () => ({ country: countries.shift() ?? null }),
      })
      const login = { address: '8.8.8.8', json: { username: 'ada', password: 'pw' } }
      await send(devices, 'POST', '/trusted-devices/token', login)
      house.signals.take()
      await send(devices, 'POST', '/trusted-devices/token', login)
      expect(house.signals.names()).toEqual(['device_created', 'suspicious_login'])
      expect(house.signals.events.at(-1)).toMatchObject({
        device: { country: 'France' },
        previousCountries: new Set([home]),
        reason: 'new_country',
      })
      expect((await devices.registry.listAll({ filter: { country: home } })).devices).toHaveLength(
        1,
      )
    },
  )
})

describe('a result of locate without a country', () => {
  const warningsFor = async (answer: unknown): Promise<string[]> => {
    const warnings: string[] = []
    const logger = { warn: (message: string) => warnings.push(message), error: () => {} }
    const devices = house.reopenWith({
      locate: () => answer as never,
      logger,
    })
    const login = { address: '8.8.8.8', json: { username: 'ada', password: 'pw' } }
    for (let time = 0; time < 2; time++) {
      expect((await send(devices, 'POST', '/trusted-devices/token', login)).status).toBe(200)
    }
    return warnings
  }

  it('is logged once, with its shape and the expected shape', async () => {
    expect(await warningsFor({ country_code: 'DE', city: 'Berlin' })).toEqual([
      'locate returned { country_code: string, city: string }, which has no country. Return { country, city }. ' +
        'The country is text, preferably an ISO 3166-1 alpha-2 code such as "DE", or null if it is unknown. ' +
        'Without a country, suspicious_login is not sent.',
    ])
  })

  it.each([
    [{}, '{}'],
    [{ city: 'Berlin' }, '{ city: string }'],
    [{ country: { iso_code: 'DE' } }, '{ country: object }'],
    [{ country: 7, region: null }, '{ country: number, region: object }'],
    [49, 'a number'],
    ['DEU', 'a string'],
    [['DE'], '{ 0: string }'],
    [{ 'a\u001b[31m\nb': 1 }, '{ a [31m b: number }'],
  ])('is described without its values: %j', async (answer, shape) => {
    const warnings = await warningsFor(answer)
    expect(warnings).toEqual([
      expect.stringContaining(`locate returned ${shape}, which has no country.`),
    ])
  })

  it.each([
    [null],
    [undefined],
    [{ country: null, city: 'Berlin' }],
    [{ country: '' }],
    [{ country: 'Germany' }],
  ])('is not logged if it is explicitly unknown, or if it names a country: %j', async (answer) => {
    expect(await warningsFor(answer)).toEqual([])
  })
})

describe('fromHeaders', () => {
  const trustedProxies = ['10.0.0.0/8']

  it('accepts the country from a trusted proxy, in upper case', async () => {
    const headers = { 'cf-ipcountry': 'de', 'x-forwarded-for': '8.8.8.8' }
    expect(
      await placeOf(fromHeaders('cf-ipcountry'), { address: '10.0.0.1', headers, trustedProxies }),
    ).toMatchObject({
      country: 'DE',
      address: '8.8.8.8',
    })
  })

  it('ignores the headers of untrusted clients', async () => {
    const headers = { 'cf-ipcountry': 'DE' }
    expect(
      await placeOf(fromHeaders('cf-ipcountry'), { address: '8.8.8.8', headers, trustedProxies }),
    ).toMatchObject({
      country: null,
    })
    const elsewhere = { address: '10.0.0.1', headers, trustedProxies: ['192.0.2.0/24'] }
    expect(await placeOf(fromHeaders('cf-ipcountry'), elsewhere)).toMatchObject({
      country: null,
      warnings: 1,
    })
  })

  it.each(['XX', 'T1', '', 'Germany', 'DE, FR'])('treats %j as unknown', async (country) => {
    const headers = { 'cf-ipcountry': country }
    expect(
      await placeOf(fromHeaders('cf-ipcountry'), { address: '10.0.0.1', headers, trustedProxies }),
    ).toMatchObject({
      country: null,
    })
  })

  it('reads a city in UTF-8', async () => {
    const city = Buffer.from('Zürich').toString('latin1')
    const headers = { 'cf-ipcountry': 'CH', 'cf-ipcity': city }
    const locate = fromHeaders('cf-ipcountry', { city: 'cf-ipcity' })
    expect(await placeOf(locate, { address: '10.0.0.1', headers, trustedProxies })).toMatchObject({
      city: 'Zürich',
      country: 'CH',
    })
  })

  it.each(['', 'two words', 'x:y', 7 as unknown as string])(
    'rejects the header name %j',
    (name) => {
      expect(() => fromHeaders(name)).toThrow(/fromHeaders/)
      expect(() => fromHeaders('cf-ipcountry', { city: name })).toThrow(/fromHeaders/)
    },
  )
})
