import { createQuillgate, type Quillgate } from '@quillgate/server'
import {
  createTrustedDevices,
  type RequestContext,
  type TrustedDevices,
} from '@quillgate/trusted-devices'
import { createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { jwtVerify, SignJWT } from 'jose'
import pg from 'pg'
import { deriveKeys } from '../../../packages/server/src/core/keys.ts'
import { cpuTimeOf } from '../../lib/cpu-time.ts'

/** The number of calls in one repeat of {@link time}. */
const callsPerRepeat = 200

const secret = 'a secret of at least thirty-two bytes'
const url = process.env['QUILLGATE_BENCH_DATABASE'] ?? 'sqlite::memory:'
const claims = { issuer: 'quillgate', audience: 'quillgate:trusted-devices', typ: 'at+jwt' }

/**
 * Prepares the next call. Each call has its own request, so that it does not find a cached
 * identity.
 */
let prepareCall: () => () => Promise<unknown>

/**
 * Prepares a contender: `jose`, `bare pg` (only reads a device), or `bearer` or `cookie` of
 * Quillgate.
 */
export async function prepare(name: string): Promise<void> {
  const gate = createQuillgate({ secret, database: url })
  const options = {
    users: createMemoryUsers([{ id: '1', username: 'ada', password: 'pw' }]),
    settings: { loginRateLimit: null },
  }
  const devices = createTrustedDevices(gate, options)
  await gate.ready()
  const signedIn = await signIn(devices)
  const key = await importKey()
  if (name === 'jose') {
    const options = { algorithms: ['HS256'], requiredClaims: ['sub', 'iat', 'exp'], ...claims }
    const token = await mint(signedIn, key)
    prepareCall = () => () => jwtVerify(token, key, options)
    return
  }
  if (name === 'bare pg') {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    prepareCall = () => () =>
      pool.query('SELECT * FROM quillgate_device WHERE uid = $1', [signedIn.uid])
    return
  }
  const headers =
    name === 'cookie'
      ? { cookie: `theme=dark; ${signedIn.cookie}; lang=en` }
      : { authorization: `Bearer ${await mint(signedIn, key)}` }
  prepareCall = () => {
    const context = contextOf(gate, headers)
    return async () => {
      if ((await devices.authenticate(context)) === null) throw new Error('Nobody is signed in.')
    }
  }
}

/**
 * Makes {@link callsPerRepeat} calls a number of times. Returns the CPU time in ms. Does not
 * measure the creation of requests.
 */
export async function time(repeats: number): Promise<number> {
  let spent = 0
  for (let repeat = 0; repeat < repeats; repeat++) {
    const calls = Array.from({ length: callsPerRepeat }, () => prepareCall())
    spent += await cpuTimeOf(async () => {
      for (const call of calls) await call()
    })
  }
  return spent
}

interface SignedIn {
  readonly uid: string
  readonly cookie: string
}

async function signIn(devices: TrustedDevices): Promise<SignedIn> {
  const context = contextOf(devices.gate, {})
  const { device } = await devices.login({ id: '1' }, context, { transport: 'cookie' })
  const { headers } = devices.gate.respond(context, new Response())
  return {
    uid: device.uid,
    cookie: headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; '),
  }
}

function contextOf(gate: Quillgate, headers: Readonly<Record<string, string>>): RequestContext {
  const agent = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  }
  const request = new Request('http://localhost/posts/1?page=2', {
    headers: { ...agent, ...headers },
  })
  return gate.parts.contexts.open(request, { address: '203.0.113.10' })
}

function importKey(): Promise<CryptoKey> {
  const bytes = Uint8Array.from(deriveKeys(secret, 'access-token')[0])
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
}

function mint({ uid }: SignedIn, key: CryptoKey): Promise<string> {
  return new SignJWT({ device_uid: uid, generation: 1, counter: 0 })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .setIssuer(claims.issuer)
    .setAudience(claims.audience)
    .setSubject('1')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(key)
}
