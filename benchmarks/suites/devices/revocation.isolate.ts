import { once } from 'node:events'
import { createQuillgate, type Quillgate } from '@quillgate/server'
import type { RequestContext, TrustedDevices } from '@quillgate/trusted-devices'
import { postgresRevocations } from '@quillgate/trusted-devices/postgres'
import { redisRevocations } from '@quillgate/trusted-devices/redis'
import { createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { Redis } from 'ioredis'
import { createWithLimits } from '../../../packages/trusted-devices/dist/create.js'
import { LIMITS } from '../../../packages/trusted-devices/dist/settings.js'

/** What a node is given. */
export interface NodeOptions {
  readonly url: string
  readonly channel: 'NOTIFY' | 'Redis' | 'none'
  readonly redis: string
  /** Seconds. */
  readonly deviceCacheTtl: number
}

let gate: Quillgate
let devices: TrustedDevices

/** Opens a node. */
export async function open({ url, channel, redis, deviceCacheTtl }: NodeOptions): Promise<void> {
  const users = createMemoryUsers([{ id: '1', username: 'ada', password: 'pw' }])
  gate = createQuillgate({ secret: 'a secret of at least thirty-two bytes', database: url })
  const options = {
    users,
    ...(channel === 'NOTIFY' ? { revocations: postgresRevocations(url) } : {}),
    ...(channel === 'Redis' ? { revocations: await openRedis(redis) } : {}),
  }
  devices = createWithLimits(gate, options, { ...LIMITS, deviceCacheTtl })
  await gate.ready()
}

/** Signs a browser in. */
export async function signIn(): Promise<{ uid: string; cookie: string }> {
  const context = contextOf({})
  const { device } = await devices.login({ id: '1' }, context, { transport: 'cookie' })
  const { headers } = gate.respond(context, new Response())
  return {
    uid: device.uid,
    cookie: headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; '),
  }
}

/** Whether this browser is signed in here; from now on it is remembered. */
export async function isSignedIn(cookie: string): Promise<boolean> {
  return (await devices.authenticate(contextOf({ cookie }))) !== null
}

/** Revokes a device; gives the moments when that began and when it was done, in ms since the epoch. */
export async function revoke(uid: string): Promise<{ began: number; done: number }> {
  const began = performance.timeOrigin + performance.now()
  await devices.registry.revoke('1', uid)
  return { began, done: performance.timeOrigin + performance.now() }
}

/** Asks until this browser is signed out; gives the moment when that was seen, in ms since the epoch. */
export async function watch(cookie: string): Promise<number> {
  while (await isSignedIn(cookie)) await new Promise((resolve) => setTimeout(resolve, 1))
  return performance.timeOrigin + performance.now()
}

async function openRedis(url: string) {
  const publisher = new Redis(url)
  const subscriber = publisher.duplicate()
  await Promise.all([publisher, subscriber].map((client) => once(client, 'ready')))
  return redisRevocations(publisher, subscriber)
}

function contextOf(headers: Record<string, string>): RequestContext {
  const request = new Request('http://localhost/', { headers })
  return gate.parts.contexts.open(request, { address: '203.0.113.10' })
}
