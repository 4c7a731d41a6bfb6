import { createHmac } from 'node:crypto'
import { SignJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { deriveKeys } from '../../../server/src/core/keys.ts'
import { BearerClient, Browser, problemOf, send } from '../support/client.ts'
import { SECRET } from '../support/house.ts'
import { useClient } from '../support/use-client.ts'

const opened = useClient()
let graces: BearerClient
beforeEach(async () => {
  graces = new BearerClient(opened.devices)
  await graces.login('grace')
  opened.house.signals.take()
})

const list = (access: string): Promise<Response> =>
  send(opened.devices, 'GET', '/trusted-devices', {
    headers: { authorization: `Bearer ${access}` },
  })

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('an access token', () => {
  const now = (): number => opened.house.clock() / 1000
  const key = deriveKeys(SECRET, 'access-token')[0]
  const header = { alg: 'HS256', typ: 'at+jwt' }
  const good = (): Record<string, unknown> => ({
    iss: 'quillgate',
    aud: 'quillgate:trusted-devices',
    sub: '1',
    device_uid: opened.client.uid,
    generation: 1,
    counter: 0,
    iat: now(),
    exp: now() + 300,
  })
  const mint = (claims: object, protectedHeader: object = header, secret: Buffer = key): string => {
    const signed = `${base64(protectedHeader)}.${base64(claims)}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }

  it('is accepted if we issued it (so that the rejections below prove something)', async () => {
    expect((await list(mint(good()))).status).toBe(200)
  })

  it.each<[string, () => string]>([
    ['garbage', () => 'a.b.c'],
    ['empty', () => ''],
    ['two words', () => 'x y'],
    ['of alg none', () => `${base64({ alg: 'none', typ: 'at+jwt' })}.${base64(good())}.`],
    ['of alg none with our signature', () => mint(good(), { alg: 'none', typ: 'at+jwt' })],
    ['of alg HS512 in the header', () => mint(good(), { alg: 'HS512', typ: 'at+jwt' })],
    [
      'of alg RS256 with our key as its public key',
      () => mint(good(), { alg: 'RS256', typ: 'at+jwt' }),
    ],
    ['of another type', () => mint(good(), { alg: 'HS256', typ: 'JWT' })],
    ['with an unknown critical header', () => mint(good(), { ...header, crit: ['x'], x: 1 })],
    ['signed with the secret itself', () => mint(good(), header, Buffer.from(SECRET))],
    [
      'signed with the key of refresh tokens',
      () => mint(good(), header, deriveKeys(SECRET, 'refresh-token')[0]),
    ],
    ['for another audience', () => mint({ ...good(), aud: 'somebody-else' })],
    ['from another issuer', () => mint({ ...good(), iss: 'somebody-else' })],
    ['expired', () => mint({ ...good(), exp: now() })],
    ['without an end', () => mint({ ...good(), exp: undefined })],
    ['from the future', () => mint({ ...good(), iat: now() + 3600, exp: now() + 4000 })],
    ['not yet valid', () => mint({ ...good(), nbf: now() + 3600 })],
    ['without a subject', () => mint({ ...good(), sub: undefined })],
    ['with a subject that is not a string', () => mint({ ...good(), sub: 1 })],
    ['without a device', () => mint({ ...good(), device_uid: undefined })],
    ['with a device that is not a UUID', () => mint({ ...good(), device_uid: 'zzz' })],
    ['with a device without characters', () => mint({ ...good(), device_uid: '' })],
    ['with a device that is SQL', () => mint({ ...good(), device_uid: "' OR 1=1 --" })],
    ['with a device that is a number (S24)', () => mint({ ...good(), device_uid: '1' })],
    [
      'with a device that is an object',
      () => mint({ ...good(), device_uid: { uid: opened.client.uid } }),
    ],
    [
      'with an unknown device',
      () => mint({ ...good(), device_uid: '01900000-0000-7000-8000-000000000000' }),
    ],
    ['of another user', () => mint({ ...good(), sub: '2' })],
    ['with another user’s device', () => mint({ ...good(), device_uid: graces.uid })],
    [
      'of another user, with that user’s device and our login',
      () => mint({ ...good(), sub: '2', generation: 9 }),
    ],
    ['nested: a token in a token', () => mint(mint(good()) as unknown as object)],
    ['nested a thousand times', () => mint(JSON.parse('['.repeat(1000) + ']'.repeat(1000)))],
    ['with another spelling of its header', () => mint(good(), { typ: 'at+jwt', alg: 'HS256' })],
    [
      'with a key in its header',
      () => mint(good(), { ...header, jwk: { kty: 'oct', k: 'AAAA' } }, Buffer.from('AAAA')),
    ],
    ['of another login', () => mint({ ...good(), generation: 2 })],
    ['ahead of its device', () => mint({ ...good(), counter: 1 })],
    ['with claims of wrong types', () => mint({ ...good(), generation: '1', counter: null })],
    ['a refresh token', () => opened.client.refresh],
    ['a device credential', () => opened.client.credential ?? ''],
    ['of 1 MB', () => 'x'.repeat(1_000_000)],
    ['of 1 MB, well-formed', () => mint({ ...good(), padding: 'x'.repeat(1_000_000) })],
    ['cut short', () => opened.client.access.slice(0, -1)],
    [
      'with a changed payload',
      () => {
        const [head, , signature] = opened.client.access.split('.')
        return `${head}.${base64({ ...good(), sub: '2' })}.${signature}`
      },
    ],
  ])('is rejected: %s', async (what, make) => {
    const code = what === 'expired' ? 'token_expired' : 'authentication_required'
    expect(await problemOf(await list(make()))).toBe(`401 ${code}`)
    const verified = await send(opened.devices, 'POST', '/trusted-devices/token/verify', {
      json: { token: make() },
    })
    // The client's own refresh token is valid. The other tokens must be rejected.
    if (make() !== opened.client.refresh) expect([400, 401, 413]).toContain(verified.status)
    expect(opened.house.signals.events).toEqual([])
  })

  it('is rejected if jose signed it with another key', async () => {
    const forged = await new SignJWT(good())
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .sign(Buffer.from('0'.repeat(32)))
    expect((await list(forged)).status).toBe(401)
  })
})

describe('a refresh token', () => {
  it.each<[string, () => string]>([
    ['garbage', () => 'garbage'],
    ['an access token', () => opened.client.access],
    ['a device credential', () => opened.client.credential ?? ''],
    ['with another counter', () => withByte(opened.client.refresh, 24, 1)],
    ['with another device', () => withByte(opened.client.refresh, 5, 7)],
    ['with another version', () => withByte(opened.client.refresh, 0, 3)],
    ['a session cookie', () => ''],
  ])('is rejected without side effects: %s', async (what, make) => {
    let token = make()
    if (what === 'a session cookie') {
      const browser = new Browser(opened.devices)
      await browser.login()
      token = [...browser.cookies].find(([name]) => name.includes('session'))?.[1] ?? ''
      opened.house.signals.take()
    }
    const response = await send(opened.devices, 'POST', '/trusted-devices/token/refresh', {
      json: { refresh: token },
    })
    expect(await problemOf(response)).toBe('401 token_invalid')
    expect(opened.house.signals.events).toEqual([])
    expect((await opened.client.refreshTokens()).status).toBe(200)
  })
})

function withByte(token: string, at: number, value: number): string {
  const bytes = Buffer.from(token, 'base64url')
  bytes.writeUInt8(bytes.readUInt8(at) ^ value, at)
  return bytes.toString('base64url')
}
