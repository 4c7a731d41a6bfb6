import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  BODIES,
  CONTENT_TYPES,
  NO_BOOLEANS,
  NO_NAMES,
  NO_TEXTS,
  UNKNOWN_MEMBERS,
} from './hostile/bodies.ts'
import {
  type HostileRequest,
  type HostileServer,
  openHostileServer,
} from './hostile/hostile-server.ts'
import { encode, NO_UIDS, PATHS, QUERIES, UNKNOWN_UIDS } from './hostile/uids.ts'

const UID = '01900000-0000-7000-8000-000000000000'

/** Every endpoint that reads a body, with the properties of the body by type. */
const READERS = [
  [
    'POST',
    '/token',
    {
      texts: ['username', 'password', 'device_credential'],
      good: { username: 'ada', password: 'pw' },
    },
  ],
  ['POST', '/token/refresh', { texts: ['refresh'], good: { refresh: 'x' } }],
  ['POST', '/token/verify', { texts: ['token'], good: { token: 'x' } }],
  ['POST', '/reauthenticate', { texts: ['password'], good: { password: 'no' } }],
  ['POST', '/revoke-all', { booleans: ['keep_current'], good: { keep_current: true } }],
  [
    'PATCH',
    `/${UID}`,
    { names: ['name'], booleans: ['can_delete_others', 'can_edit_others'], good: { name: 'x' } },
  ],
] as const satisfies readonly (readonly [string, string, Reader])[]

interface Reader {
  readonly texts?: readonly string[]
  readonly names?: readonly string[]
  readonly booleans?: readonly string[]
  readonly good: Readonly<Record<string, unknown>>
}

let server: HostileServer
let before: string
let cases = 0
beforeAll(async () => {
  server = await openHostileServer()
  before = await server.rows()
})
beforeEach(() => {
  server.problems.length = 0
})
afterAll(() => server.close())

async function expectRejection(
  name: string,
  request: HostileRequest,
  ...outcomes: readonly string[]
): Promise<void> {
  cases++
  const answer = await server.send(request)
  expect(
    outcomes,
    `${name}: ${request.method} ${request.path.slice(0, 100)} ${answer.raw.slice(0, 600)}`,
  ).toContain(answer.outcome)
  expect(server.problems, name).toEqual([])
  expect(await server.rows(), name).toBe(before)
}

describe('the endpoints, for untrusted clients', () => {
  it.each(READERS)(
    '%s /trusted-devices%s rejects a hostile body',
    { timeout: 60_000 },
    async (method, path) => {
      for (const [name, body, outcome] of BODIES) {
        await expectRejection(name, { method, path: `/trusted-devices${path}`, body }, outcome)
      }
      for (const [name, body, outcome] of BODIES.filter(([, body]) => body.length > 5000)) {
        // Without a declared length, the nesting limit may apply before the size limit.
        const request = { method, path: `/trusted-devices${path}`, body, chunked: true }
        await expectRejection(
          `${name}, in chunks`,
          request,
          outcome,
          ...(name.includes('levels') ? ['400 invalid_request'] : []),
        )
      }
    },
  )

  it.each(READERS.filter(([, path]) => path !== '/revoke-all'))(
    '%s /trusted-devices%s ignores unknown properties',
    async (method, path) => {
      const request = { method, path: `/trusted-devices${path}` }
      const outcome = method === 'PATCH' ? '404 device_not_found' : '400 invalid_request'
      await expectRejection('no members', { ...request, body: '{}' }, outcome)
      for (const [name, body] of UNKNOWN_MEMBERS) {
        await expectRejection(name, { ...request, body }, outcome)
        await expectRejection(`${name}, in chunks`, { ...request, body, chunked: true }, outcome)
      }
    },
  )

  it.each(READERS)(
    '%s /trusted-devices%s rejects values of another type',
    { timeout: 60_000 },
    async (...reader) => {
      const [method, path, { texts = [], names = [], booleans = [], good }]: readonly [
        string,
        string,
        Reader,
      ] = reader
      const wrong = [
        ...texts.flatMap((member) => NO_TEXTS.map((value) => [member, value] as const)),
        ...names.flatMap((member) => NO_NAMES.map((value) => [member, value] as const)),
        ...booleans.flatMap((member) => NO_BOOLEANS.map((value) => [member, value] as const)),
      ]
      for (const [member, value] of wrong) {
        const others = Object.entries(good).filter(([name]) => name !== member)
        const members = [
          ...others.map(([name, right]) => `"${name}":${JSON.stringify(right)}`),
          `"${member}":${value}`,
        ]
        const request = { method, path: `/trusted-devices${path}`, body: `{${members.join()}}` }
        await expectRejection(`${member}: ${value.slice(0, 40)}`, request, '400 invalid_request')
        // As in JSON.parse, the last of several properties with the same name is used.
        if (Object.hasOwn(good, member)) {
          const twice = `{"${member}":${JSON.stringify(good[member])},${members.join()}}`
          await expectRejection(
            `${member} twice`,
            { ...request, body: twice },
            '400 invalid_request',
            '413 body_too_large',
          )
        }
      }
    },
  )

  it.each(READERS)(
    '%s /trusted-devices%s rejects content types other than JSON',
    async (method, path, { good }) => {
      for (const type of CONTENT_TYPES) {
        const request = { method, path: `/trusted-devices${path}`, body: JSON.stringify(good) }
        await expectRejection(
          type,
          { ...request, headers: { 'content-type': type } },
          '415 unsupported_media_type',
        )
      }
      const untyped = { method, path: `/trusted-devices${path}`, body: JSON.stringify(good) }
      await expectRejection(
        'no type',
        { ...untyped, headers: { 'content-type': '' } },
        '415 unsupported_media_type',
      )
    },
  )

  it.each(['PATCH', 'DELETE'])(
    '%s rejects a uid that is not a UUID of a device of the user',
    { timeout: 30_000 },
    async (method) => {
      const body = method === 'PATCH' ? { body: '{"name":"x"}' } : {}
      for (const uid of NO_UIDS) {
        const request = { method, path: `/trusted-devices/${uid}`, ...body }
        await expectRejection(uid, request, '400 invalid_uid')
        await expectRejection(uid, { ...request, anonymous: true }, '401 authentication_required')
      }
      for (const uid of [...UNKNOWN_UIDS, server.other.uid, server.other.uid.toUpperCase()]) {
        await expectRejection(
          uid,
          { method, path: `/trusted-devices/${uid}`, ...body },
          '404 device_not_found',
        )
      }
    },
  )

  it('answer no path that resembles theirs', { timeout: 30_000 }, async () => {
    const outcomes = [
      '404 not_found',
      '405 method_not_allowed',
      '400 malformed_request',
      '400',
      '431',
    ]
    for (const path of PATHS.filter(
      (each) => !['/trusted-devices?limit=1/token', '/trusted-devices#x'].includes(each),
    )) {
      for (const method of ['GET', 'POST'])
        await expectRejection(path, { method, path, anonymous: true }, ...outcomes)
    }
    await expectRejection(
      'a query',
      { method: 'GET', path: '/trusted-devices?limit=1/token' },
      '400 invalid_request',
    )
  })

  it('reject other methods', { timeout: 30_000 }, async () => {
    const paths = [
      '',
      '/token',
      '/token/refresh',
      '/token/verify',
      '/reauthenticate',
      '/logout',
      '/revoke-all',
      `/${UID}`,
    ]
    for (const path of paths) {
      for (const method of [
        'PUT',
        'OPTIONS',
        'PROPFIND',
        'LINK',
        'SEARCH',
        'QUERY',
        'TRACE',
        'post',
        'G\u00cbT',
      ]) {
        const request = { method, path: `/trusted-devices${path}`, anonymous: true }
        await expectRejection(
          method,
          request,
          '405 method_not_allowed',
          '400 malformed_request',
          '400',
        )
      }
      if (path !== '')
        await expectRejection('HEAD', { method: 'HEAD', path: `/trusted-devices${path}` }, '405')
    }
    await expectRejection(
      'a tunnel',
      { method: 'CONNECT', path: 'localhost:80', anonymous: true },
      'NaN',
    )
  })

  it('reject a hostile query, and list no devices of others for a forged cursor', async () => {
    for (const query of QUERIES.filter((each) => !each.startsWith('limit[]'))) {
      await expectRejection(
        query,
        { method: 'GET', path: `/trusted-devices?${query}` },
        '400 invalid_request',
      )
    }
    const last = encode(`999999999999999.${'f'.repeat(8)}-ffff-ffff-ffff-${'f'.repeat(12)}`)
    for (const query of [
      `cursor=${last}`,
      `cursor=${last}&cursor=x`,
      'limit=1&limit=x',
      'limit[]=7',
      '&&&==',
      'x=%ff',
    ]) {
      const { raw, outcome } = await server.send({
        method: 'GET',
        path: `/trusted-devices?${query}`,
      })
      expect([query, outcome]).toEqual([query, '200'])
      expect(raw).toContain(server.client.uid)
      expect(raw).not.toContain(server.other.uid)
      cases++
    }
    expect(await server.rows()).toBe(before)
  })

  it('close a request that never ends or breaks off', { timeout: 30_000 }, async () => {
    const head = `POST /trusted-devices/token HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
    const chunked = `${head}transfer-encoding: chunked\r\n\r\n`
    const waits: [name: string, pieces: string[]][] = [
      ['chunks without an end', [chunked, '5\r\n{"use\r\n', '4\r\nrnam\r\n']],
      ['a length that is not sent', [`${head}content-length: 1000\r\n\r\n`, '{"username":']],
      ['a chunk that is not sent', [chunked, 'ffff\r\n{']],
      ['headers without an end', [head, 'x-a: b\r\n']],
    ]
    for (const [name, pieces] of waits) {
      const answer = await server.sendRaw(pieces)
      expect(answer, name).toMatch(/^(?:HTTP\/1\.1 408 .*)?/s)
      expect(answer, name).not.toMatch(/^HTTP\/1\.1 [25]/)
      await server.sendRaw(pieces, 'client')
      cases += 2
    }
    const broken: [name: string, pieces: string[]][] = [
      ['an invalid chunk size', [chunked, 'zz\r\n{}\r\n0\r\n\r\n']],
      ['two lengths', [`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `]],
      [
        'a length and chunks',
        [`${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
      ],
      ['a negative length', [`${head}content-length: -1\r\n\r\n`]],
    ]
    for (const [name, pieces] of broken) {
      expect(await server.sendRaw(pieces), name).toMatch(/^HTTP\/1\.1 400 /)
      cases++
    }
    expect(await server.rows()).toBe(before)
  })
})

describe('the server', () => {
  it('still works after more than 1,000 hostile requests', async () => {
    expect(cases).toBeGreaterThan(1000)
    const { outcome } = await server.send({ method: 'GET', path: '/trusted-devices' })
    expect(outcome).toBe('200')
    expect((await server.client.refreshTokens()).status).toBe(200)
    expect(server.house.signals.names()).toEqual(['device_created', 'device_created'])
  })
})
