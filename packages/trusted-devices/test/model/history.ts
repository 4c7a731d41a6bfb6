import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { jsonOf, send } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { SETTINGS } from './settings.ts'
import { CLIENTS, type Step, step, USERS } from './steps.ts'
import { PLACES, type World } from './world.ts'

/** A list of moments. The steps of a moment run in parallel. */
export interface History {
  /** Indexes of the settings of the first nodes, and of the nodes that replace them later. */
  readonly settings: readonly [number, number]
  readonly moments: readonly (readonly Step[])[]
}

const AT_ONCE = 6
const PATH = '/trusted-devices'

/** The steps that can run in parallel. The clock advances only between moments. */
const together = step.filter(({ do: what }) => !['wait', 'configure', 'application'].includes(what))
const between = step.filter(({ do: what }) => ['wait', 'application'].includes(what))

export const histories: fc.Arbitrary<History> = fc.record({
  settings: fc.tuple(fc.nat(SETTINGS.length - 1), fc.nat(SETTINGS.length - 1)),
  moments: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.array(together, { minLength: 2, maxLength: AT_ONCE }) },
      { weight: 1, arbitrary: fc.array(between, { minLength: 1, maxLength: 1 }) },
    ),
    { maxLength: 14, size: 'max' },
  ),
})

/** The statuses that a response can have without an error in the server. */
const PROPER: ReadonlySet<number> = new Set([200, 204, 401, 403, 404, 409])

interface Holder {
  access: string
  refresh: string
  credential: string
}

/** The published devices and event ids of one history. */
interface Events {
  readonly created: Set<string>
  readonly revoked: Set<string>
  readonly events: Set<string>
}

/**
 * Runs a history on two nodes and checks three rules. No request causes a server error. Each start
 * and each end of a device has one signal. A user never has more devices than the limit.
 *
 * @returns the number of steps
 */
export async function runHistory(world: World, { settings, moments }: History): Promise<number> {
  const users = world.newUsers()
  const holders = Array.from(
    { length: CLIENTS * 2 },
    (): Holder => ({ access: '', refresh: '', credential: '' }),
  )
  const events: Events = { created: new Set(), revoked: new Set(), events: new Set() }
  const nodesOf = (index: number) => [0, 1].map((extra) => world.node(SETTINGS[index] ?? {}, extra))
  let steps = 0
  try {
    for (const [index, moment] of moments.entries()) {
      const half = index < moments.length / 2 ? settings[0] : settings[1]
      const nodes = nodesOf(half)
      const limit = SETTINGS[half]?.maxDevices ?? null
      await watchingLimit(nodes[0] as TestDevices, users, limit, () =>
        Promise.all(
          moment.map((each, place) =>
            perform(world, nodes[place % 2] as TestDevices, users, holders, each, place),
          ),
        ),
      )
      steps += moment.length
      noteSignals(world, events)
      await assertRows(world, users, events)
    }
  } finally {
    const [node] = nodesOf(0)
    for (const user of users) await node?.users.deleted(user)
    world.takeSignals()
  }
  return steps
}

async function perform(
  world: World,
  node: TestDevices,
  users: readonly string[],
  holders: readonly Holder[],
  each: Step,
  place: number,
): Promise<void> {
  switch (each.do) {
    case 'wait':
      return world.clock.advance(each.seconds * 1000)
    case 'application':
      if (each.what === 'revoke all') await node.registry.revokeAll(users[each.user % USERS] ?? '')
      else if (each.what === 'delete the user')
        await node.users.deleted(users[each.user % USERS] ?? '')
      return
    case 'clean up':
      assert.deepEqual((await node.registry.cleanup()).failures, [])
      return
    case 'configure':
      return
  }
  const holder = holders[each.client % holders.length] as Holder
  const response = await request(node, users, holders, holder, each, place)
  assert.ok(
    PROPER.has(response.status),
    `${JSON.stringify(each)}: ${response.status} ${await response.clone().text()}`,
  )
  if (response.status !== 200 || (each.do !== 'login' && each.do !== 'refresh')) return
  const body = await jsonOf(response)
  holder.access = String(body['access'])
  holder.refresh = String(body['refresh'])
  if (each.do === 'login') holder.credential = String(body['device_credential'])
}

function request(
  node: TestDevices,
  users: readonly string[],
  holders: readonly Holder[],
  holder: Holder,
  each: Exclude<Step, { do: 'wait' | 'application' | 'clean up' | 'configure' }>,
  place: number,
): Promise<Response> {
  const to = (method: string, path: string, json?: unknown): Promise<Response> =>
    send(node, method, PATH + path, {
      address: PLACES[place % PLACES.length]?.[0] ?? '',
      headers: {
        'user-agent': 'model/1.0',
        ...(holder.access ? { authorization: `Bearer ${holder.access}` } : {}),
      },
      ...(json === undefined ? {} : { json }),
    })
  const target = 'device' in each ? uidOf(holders[each.device % holders.length]) : ''
  switch (each.do) {
    case 'login': {
      const known =
        each.credential !== null && holder.credential
          ? { device_credential: holder.credential }
          : {}
      return to('POST', '/token', { username: users[each.user % USERS], password: 'pw', ...known })
    }
    case 'refresh':
      return to('POST', '/token/refresh', { refresh: holder.refresh || 'none' })
    case 'look':
      return to('GET', '')
    case 'revoke':
      return to('DELETE', `/${target}`)
    case 'revoke all':
      return to('POST', '/revoke-all', { keep_current: each.keep })
    case 'edit':
      return to('PATCH', `/${target}`, each.changes)
    case 'reauthenticate':
      return to('POST', '/reauthenticate', { password: 'pw' })
    case 'log out':
      return to('POST', '/logout')
  }
}

function uidOf(holder: Holder | undefined): string {
  const [, claims = ''] = holder?.access.split('.') ?? []
  if (claims === '') return '01900000-0000-7000-8000-000000000000'
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { device_uid: string })
    .device_uid
}

/**
 * Reads the lists of devices while `work` changes them. A list must not contain more devices than
 * the limit.
 */
async function watchingLimit(
  node: TestDevices,
  users: readonly string[],
  maxDevices: number | null,
  work: () => Promise<unknown>,
): Promise<void> {
  const count = async (user: string): Promise<number> =>
    (await node.registry.list(user)).devices.length
  const before = await Promise.all(users.map(count))
  let isOver = false
  const watch = async (): Promise<void> => {
    while (!isOver) {
      // SQLite works synchronously, so the other steps would never run without this pause.
      await setImmediate()
      for (const [index, user] of users.entries()) {
        // If the limit was lowered, it applies only at the next login.
        const most = Math.max(maxDevices ?? Number.POSITIVE_INFINITY, before[index] ?? 0)
        const seen = await count(user)
        assert.ok(seen <= most, `${seen} devices, at most ${most}`)
      }
    }
  }
  const done = work().finally(() => {
    isOver = true
  })
  const outcomes = await Promise.allSettled([done, watch()])
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

function noteSignals(world: World, { created, revoked, events }: Events): void {
  for (const event of world.takeSignals()) {
    assert.ok(!events.has(event.eventId), `${event.signal} ${event.eventId} was sent twice`)
    events.add(event.eventId)
    if (event.signal !== 'device_created' && event.signal !== 'device_revoked') continue
    const uid = event.device.uid
    const known = event.signal === 'device_created' ? created : revoked
    assert.ok(!known.has(uid), `${event.signal} of ${uid} was sent twice`)
    known.add(uid)
  }
}

/**
 * Checks that a device exists if and only if its creation was published and its revocation was not.
 */
async function assertRows(
  { sql }: World,
  users: readonly string[],
  { created, revoked }: Events,
): Promise<void> {
  const marks = sql.dialect === 'postgres' ? '$1, $2' : '?, ?'
  const rows = await sql.query(
    `SELECT uid FROM quillgate_device WHERE user_id IN (${marks})`,
    users,
  )
  const expected = [...created].filter((uid) => !revoked.has(uid)).sort()
  assert.deepEqual(rows.map(({ uid }) => String(uid)).sort(), expected, 'devices that are there')
  for (const uid of revoked) assert.ok(created.has(uid), `${uid} ended and never began`)
}
