import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { AccessTokens } from '../../src/tokens/access-token.ts'

const NOW = 1_800_000_000
const key = randomBytes(32)
const header = { alg: 'HS256', typ: 'at+jwt' } as const
const audience = 'quillgate:trusted-devices'
const tokens = new AccessTokens({ keys: [key], audience, lifetime: 300, clock: () => NOW * 1000 })

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const sign = (signed: string, with_ = key): string =>
  `${signed}.${createHmac('sha256', with_).update(signed).digest('base64url')}`
const mint = (claims: unknown, head: unknown = header): string =>
  sign(`${encode(head)}.${encode(claims)}`)

const good = {
  iss: 'quillgate',
  aud: audience,
  sub: '1',
  device_uid: '01900000-0000-7000-8000-000000000000',
  generation: 1,
  counter: 0,
  iat: NOW,
  exp: NOW + 300,
}

async function joseAccepts(token: string): Promise<boolean> {
  return jwtVerify(token, key, {
    algorithms: ['HS256'],
    typ: 'at+jwt',
    issuer: good.iss,
    audience: good.aud,
    requiredClaims: ['sub', 'iat', 'exp'],
    currentDate: new Date(NOW * 1000),
  }).then(
    ({ payload }) => {
      const { sub, iat = 0, device_uid: uid, generation, counter } = payload
      const isOurs = typeof sub === 'string' && typeof uid === 'string'
      return (
        isOurs && typeof generation === 'number' && typeof counter === 'number' && iat <= NOW + 60
      )
    },
    () => false,
  )
}

describe('access tokens', () => {
  it('are read as they were issued', async () => {
    const claims = { userId: 'ä', uid: good.device_uid, generation: 3, counter: 7 }
    const token = tokens.issue(claims)
    expect(tokens.verify(token)).toEqual(claims)
    expect(await joseAccepts(token)).toBe(true)
  })

  it('are accepted if jose accepts them, whatever their claims', async () => {
    const time = fc.oneof(
      fc.integer({ min: NOW - 400, max: NOW + 400 }),
      fc.constantFrom('x', null, 1.5, -1),
    )
    const claims = fc.record(
      {
        iss: fc.constantFrom('quillgate', 'other', 1),
        aud: fc.constantFrom(audience, 'other', 1),
        sub: fc.constantFrom('1', 2, null),
        device_uid: fc.constantFrom(good.device_uid, 5),
        generation: fc.constantFrom(1, '1'),
        counter: fc.constantFrom(0, null),
        iat: time,
        exp: time,
        nbf: time,
      },
      { requiredKeys: [] },
    )
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(claims, fc.boolean(), async (changed, isComplete) => {
        const token = mint(isComplete ? { ...good, ...changed } : changed)
        const isAccepted = typeof tokens.verify(token) !== 'string'
        if (isAccepted) accepted++
        expect(isAccepted).toBe(await joseAccepts(token))
      }),
      { numRuns: 2000, examples: [[{}, true]] },
    )
    for (const name of Object.keys(good)) {
      const token = mint({ ...good, [name]: undefined })
      expect([name, tokens.verify(token), await joseAccepts(token)]).toEqual([
        name,
        'token_invalid',
        false,
      ])
    }
    expect(accepted).toBeGreaterThan(0)
  })

  it('are rejected with any changed character, and whenever jose rejects them', async () => {
    const token = mint(good)
    const alphabet = 'ABCXYZabcxyz0189-_.=+/ \u00e9\u212a'
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom(...alphabet),
        async (at, character) => {
          const forged = token.slice(0, at) + character + token.slice(at + 1)
          fc.pre(forged !== token)
          expect(tokens.verify(forged)).toBe('token_invalid')
        },
      ),
      { numRuns: 2000 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.string().map((text) => mint(text)),
        ),
        async (text) => {
          expect(tokens.verify(text)).toBe('token_invalid')
          expect(await joseAccepts(text)).toBe(false)
        },
      ),
    )
  })

  it.each<[string, string]>([
    ['without a signature', `${encode(header)}.${encode(good)}.`],
    ['with two parts', `${encode(header)}.${encode(good)}`],
    ['with one part', encode(header)],
    ['with five parts, like an encrypted token', `${mint(good)}.x.y`],
    ['with a header in another order', mint(good, { typ: 'at+jwt', alg: 'HS256' })],
    ['with an additional header property', mint(good, { ...header, kid: '../../dev/null' })],
    [
      'with a key in the header',
      mint(good, { ...header, jwk: { kty: 'oct', k: key.toString('base64url') } }),
    ],
    ['with another algorithm', mint(good, { alg: 'none', typ: 'at+jwt' })],
    [
      'with a signature in base64',
      `${encode(header)}.${encode(good)}.${createHmac('sha256', key)
        .update(`${encode(header)}.${encode(good)}`)
        .digest('base64')}`,
    ],
    ['nested: a token in a token', mint(mint(good))],
    ['nested: signed once more', sign(mint(good))],
    ['with an array as claims', mint([good])],
    ['with null as claims', mint(null)],
    [
      'with claims that are not JSON',
      sign(`${encode(header)}.${Buffer.from('{').toString('base64url')}`),
    ],
    [
      'with deeply nested claims',
      sign(`${encode(header)}.${Buffer.from('['.repeat(2000)).toString('base64url')}`),
    ],
    [
      'with inherited claims',
      sign(
        `${encode(header)}.${Buffer.from(`{"__proto__":${JSON.stringify(good)}}`).toString('base64url')}`,
      ),
    ],
    ['for several audiences', mint({ ...good, aud: [good.aud] })],
    ['of 1 MB', mint({ ...good, padding: 'x'.repeat(1_000_000) })],
  ])('are rejected: %s', (_what, token) => {
    expect(tokens.verify(token)).toBe('token_invalid')
  })

  it('expire in time', () => {
    let now = NOW
    const timed = new AccessTokens({
      keys: [key],
      audience,
      lifetime: 300,
      clock: () => now * 1000,
    })
    const token = mint(good)
    expect(timed.verify(token)).toMatchObject({ userId: '1' })
    now = NOW + 299
    expect(timed.verify(token)).toMatchObject({ userId: '1' })
    now = NOW + 300
    expect(timed.verify(token)).toBe('token_expired')
    expect(
      new AccessTokens({
        keys: [randomBytes(32)],
        audience,
        lifetime: 300,
        clock: () => NOW * 1000,
      }).verify(token),
    ).toBe('token_invalid')
  })
})
