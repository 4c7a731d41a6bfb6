import { sqliteEngine } from '@quillgate/server/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BearerClient, send } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'
import { BODIES } from './hostile/bodies.ts'
import { NO_UIDS } from './hostile/uids.ts'

const UID = '01900000-0000-7000-8000-000000000000'

let house: House
let client: BearerClient
const problems: unknown[] = []
beforeAll(async () => {
  const record = (...what: unknown[]): void => void problems.push(what)
  house = await openHouse(sqliteEngine(), {}, { logger: { warn: record, error: record } })
  client = new BearerClient(house.devices)
  await client.login()
})
afterAll(() => house.close())

const names = [
  'token',
  'refresh',
  'verify',
  'logout',
  'revoke-all',
  'reauthenticate',
  'openapi.json',
  'second-factor',
]
const segment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names, UID) },
  { weight: 2, arbitrary: fc.constantFrom(...NO_UIDS) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'binary', maxLength: 20 })
      .map((text) => encodeURIComponent(text.toWellFormed())),
  },
)
const query = fc.oneof(
  fc.constant(''),
  fc.webQueryParameters().map((text) => `?${text}`),
  fc
    .tuple(fc.constantFrom('limit', 'cursor'), fc.string())
    .map(([name, value]) => `?${name}=${encodeURIComponent(value.toWellFormed())}`),
)
const path = fc
  .tuple(fc.array(segment, { maxLength: 3 }), query)
  .map(([parts, rest]) => `${['/trusted-devices', ...parts].join('/')}${rest}`)

const members = fc.constantFrom(
  'username',
  'password',
  'device_credential',
  'refresh',
  'token',
  'keep_current',
  'name',
  'can_delete_others',
  'can_edit_others',
  '__proto__',
  'constructor',
)
const json = fc.oneof(
  fc.jsonValue(),
  fc
    .array(fc.tuple(fc.oneof(members, fc.string()), fc.jsonValue()), { maxLength: 5 })
    .map(
      (pairs) =>
        JSON.parse(
          `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
        ) as unknown,
    ),
)
const body = fc.oneof(
  json.map((value) => new Blob([JSON.stringify(value)])),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => new Blob([Uint8Array.from(bytes)])),
  fc.constantFrom(
    ...BODIES.map(
      ([, each]) => new Blob([typeof each === 'string' ? each : Uint8Array.from(each)]),
    ),
  ),
)

const request = fc.record({
  method: fc.constantFrom(
    'GET',
    'HEAD',
    'POST',
    'POST',
    'POST',
    'PATCH',
    'DELETE',
    'PUT',
    'OPTIONS',
  ),
  path,
  body,
  type: fc.oneof(
    { weight: 5, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/json; charset=x',
      ),
    },
  ),
  token: fc.oneof(
    { weight: 5, arbitrary: fc.constant('own') },
    { weight: 1, arbitrary: fc.constant('none') },
    { weight: 1, arbitrary: fc.base64String() },
  ),
})

describe('any request from an untrusted client', () => {
  // `send` compares the status, the type, the code and the body of each response with the API
  // document.
  it('gets a documented answer and never a failure', { timeout: 120_000 }, async () => {
    const rows = async (): Promise<unknown> =>
      house.sql.query('SELECT uid, token_generation FROM quillgate_device ORDER BY uid')
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path: target, body: sent, type, token }) => {
        // A random request may have signed the client out.
        if ((await client.send('GET', '/trusted-devices')).status !== 200) await client.login()
        const before = await rows()
        const authorization =
          token === 'none'
            ? {}
            : { authorization: `Bearer ${token === 'own' ? client.access : token}` }
        const response = await send(house.devices, method, target, {
          headers: { 'content-type': type, ...authorization },
          ...(method === 'GET' || method === 'HEAD' ? {} : { body: sent }),
        })
        expect(response.status).toBeLessThan(500)
        expect(problems).toEqual([])
        if (response.status >= 400 || token !== 'own') expect(await rows()).toEqual(before)
      }),
      { numRuns: Number(process.env['QUILLGATE_FUZZ_RUNS'] ?? 1500) },
    )
  })
})
