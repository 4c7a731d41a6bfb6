import { sqliteEngine } from '@quillgate/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BearerClient, Browser, problemOf, type Sending, send } from '../support/client.ts'
import type { TestDevices, TestSettings } from '../support/create-devices.ts'
import { seenAnswers } from '../support/documented.ts'
import { type House, openHouse } from '../support/house.ts'

const UNKNOWN = '01900000-0000-7000-8000-000000000000'

// In all tests of endpoints, `send` compares each response with the API document (see
// `support/documented.ts`). The tests in this file also check that every documented code occurs.

let house: House
beforeAll(async () => {
  house = await openHouse(sqliteEngine(), {}, { logger: { warn: () => {}, error: () => {} } })
})
afterAll(() => house.close())

interface Listed {
  readonly method: string
  readonly path: string
  readonly id: string
  /** The documented responses, each as `status code`, for example `401 token_expired`. */
  readonly answers: readonly string[]
}

function listOperations(devices: TestDevices): Listed[] {
  const operations = Object.entries(devices.openApi().paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation: operation as Described,
      })),
  )
  return operations.map(({ method, path, operation: { operationId: id, responses } }) => {
    const answers = Object.entries(responses).flatMap(([status, response]) =>
      codesOf(status, response),
    )
    return { method, path, id, answers }
  })
}

interface Described {
  readonly operationId: string
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: ProblemSchema }>> }>
  >
}
interface ProblemSchema {
  readonly allOf?: readonly [
    unknown,
    { readonly properties: { readonly code: { readonly enum: readonly string[] } } },
  ]
}

function codesOf(status: string, { content }: Described['responses'][string]): string[] {
  const codes = content?.['application/problem+json']?.schema.allOf?.[1].properties.code.enum
  return (codes ?? ['ok']).map((code) => `${status} ${code}`)
}

const pathOf = ({ path }: Listed, uid = UNKNOWN): string => path.replace('{uid}', uid)

async function signedIn(devices = house.devices): Promise<BearerClient> {
  const client = new BearerClient(devices)
  expect((await client.login()).status).toBe(200)
  return client
}

/** Sends all requests for which the server checks what the acting device may do. */
async function askAll(client: BearerClient, other: BearerClient): Promise<void> {
  await client.send('PATCH', `/trusted-devices/${other.uid}`, { json: { name: 'x' } })
  await client.send('PATCH', `/trusted-devices/${other.uid}`, {
    json: { can_delete_others: false },
  })
  await client.send('PATCH', `/trusted-devices/${client.uid}`, {
    json: { can_delete_others: true },
  })
  await client.send('DELETE', `/trusted-devices/${other.uid}/second-factor`)
  await client.send('DELETE', `/trusted-devices/${other.uid}`)
  await client.send('POST', '/trusted-devices/revoke-all')
}

describe('every error code of the API document', () => {
  it('about the request is reached', async () => {
    const client = await signedIn()
    for (const operation of listOperations(house.devices)) {
      const { method, answers } = operation
      const ask = (sending: Sending, path = pathOf(operation)): Promise<Response> =>
        client.send(method, path, sending)
      const typed = { headers: { 'content-type': 'application/json' } }
      if (answers.includes('401 authentication_required'))
        await send(house.devices, method, pathOf(operation))
      if (answers.includes('400 malformed_json')) await ask({ ...typed, body: '{' })
      if (answers.includes('413 body_too_large')) await ask({ ...typed, body: 'x'.repeat(20_000) })
      if (answers.includes('415 unsupported_media_type')) await ask({ body: 'x' })
      if (answers.includes('400 invalid_uid')) await ask({ json: {} }, pathOf(operation, 'x'))
      if (answers.includes('404 device_not_found')) await ask({ json: { name: 'x' } })
      if (answers.includes('400 invalid_request')) {
        await (method === 'GET' ? ask({}, `${pathOf(operation)}?limit=0`) : ask({ json: [] }))
      }
      if (answers.includes('403 csrf_failed')) {
        const browser = new Browser(house.devices)
        await browser.login()
        await browser.send(method, pathOf(operation), {}, null)
      }
    }
  })

  it('about the acting device is reached', async () => {
    const settings: TestSettings[] = [
      {},
      { allowGlobalDelete: false },
      { allowGlobalEdit: false },
      { defaultCanDeleteOthers: false },
      { defaultCanEditOthers: false },
      { deleteDelay: 1000, editDelay: 1000 },
      { stepUpAge: 10 },
    ]
    for (const each of settings) {
      const devices = house.reopen(each)
      // The instance without these settings registers `other`, so `other` has all permissions.
      const [client, other] = [await signedIn(devices), await signedIn()]
      house.clock.advance(20_000)
      await askAll(client, other)
      await devices.registry.revokeAll('1')
    }
    const leaving = await signedIn()
    expect((await leaving.send('POST', '/trusted-devices/logout')).status).toBe(204)
  })

  it('about signing in is reached', async () => {
    house.users.set({ id: '3', username: 'blocked', password: 'pw', active: false })
    await new BearerClient(house.devices).login('ada', 'wrong')
    await new BearerClient(house.devices).login('blocked')
    const limited = house.reopen({ loginRateLimit: '1/minute' })
    const client = await signedIn(limited)
    await new BearerClient(limited).login()
    const prove = (password: string) =>
      client.send('POST', '/trusted-devices/reauthenticate', { json: { password } })
    for (const password of ['pw', 'wrong', 'wrong']) await prove(password)
    const busy = house.reopen({ refreshRateLimit: '1/minute' })
    for (const [path, member] of [
      ['refresh', 'refresh'],
      ['verify', 'token'],
    ] as const) {
      const sending = { json: { [member]: 'x' } }
      for (let index = 0; index < 30; index++)
        await send(busy, 'POST', `/trusted-devices/token/${path}`, sending)
    }
    await house.devices.registry.revokeAll('1')
  })

  it('about a token is reached', async () => {
    const verify = (token: string) =>
      send(house.devices, 'POST', '/trusted-devices/token/verify', { json: { token } })
    const both = async (client: BearerClient, expected: string): Promise<void> => {
      const { refresh } = client
      expect(await problemOf(await verify(refresh))).toBe(expected)
      expect(await problemOf(await client.refreshTokens(refresh))).toBe(expected)
    }
    const garbage = await signedIn()
    garbage.refresh = 'x'
    await both(garbage, '401 token_invalid')
    const expired = await signedIn()
    house.clock.advance(301_000)
    for (const operation of listOperations(house.devices)) {
      if (operation.answers.includes('401 token_expired'))
        await expired.send(operation.method, pathOf(operation))
    }
    const revoked = await signedIn()
    await house.devices.registry.revokeAll('1')
    await both(revoked, '401 device_not_recognized')
    const late = await signedIn()
    house.clock.advance(31 * 86_400_000)
    await both(late, '401 token_expired')
    const blocked = await signedIn()
    house.users.set({ id: '1', username: 'ada', password: 'pw', active: false })
    await both(blocked, '401 inactive_account')
    house.users.set({ id: '1', username: 'ada', password: 'pw' })
    const copied = await signedIn()
    const thief = copied.copy()
    for (let index = 0; index < 3; index++) await copied.refreshTokens()
    expect((await verify(copied.refresh)).status).toBe(200)
    house.clock.advance(60_000)
    await both(thief, '401 token_reused')
  })

  it('about the server is reached', async () => {
    const client = await signedIn()
    const consumed = new Request('http://localhost/trusted-devices/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    await consumed.text()
    expect(await problemOf(await house.devices.fetch(consumed))).toBe('500 body_already_read')
    const away = house.reopenWith({ database: 'postgres://nobody@127.0.0.1:9/none' })
    for (const operation of listOperations(away)) {
      expect(await problemOf(await send(away, operation.method, pathOf(operation)))).toBe(
        '503 database_unavailable',
      )
    }
    const broken = house.reopenWith({
      users: {
        findById: () => {
          throw new Error('no users')
        },
      },
    })
    const lost = Object.assign(client.copy(), { devices: broken })
    expect(await problemOf(await lost.send('GET', '/trusted-devices'))).toBe('500 internal_error')
    const nameless = house.reopenWith({ users: { findById: () => ({ id: null as never }) } })
    const someone = Object.assign(client.copy(), { devices: nameless })
    expect(await problemOf(await someone.send('GET', '/trusted-devices'))).toBe('500 invalid_user')
  })

  it('was reached for each operation', async () => {
    const openApi = await send(house.devices, 'GET', house.devices.url('openApi'))
    expect(openApi.status).toBe(200)
    await (await signedIn()).send('GET', '/trusted-devices')
    // Codes of 5xx statuses have the same cause at every operation, so one operation is enough.
    const documented = listOperations(house.devices).flatMap(({ id, answers }) =>
      answers.filter((answer) => !answer.startsWith('5')).map((answer) => `${id} ${answer}`),
    )
    expect(documented.length).toBeGreaterThan(60)
    expect(documented.filter((answer) => !seenAnswers.has(answer))).toEqual([])
  })
})
