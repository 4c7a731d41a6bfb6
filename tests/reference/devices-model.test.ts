import { readFileSync } from 'node:fs'
import { TrustedDevice } from '@quillgate/trusted-devices'
import {
  createFakeClock,
  createMemoryUsers,
  recordSignals,
} from '@quillgate/trusted-devices/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevices } from '../../packages/trusted-devices/test/support/create-devices.ts'

interface Model {
  readonly fields: readonly { readonly name: string; readonly in_list: boolean }[]
  readonly signals: readonly {
    readonly name: string
    readonly args: Readonly<Record<string, string>>
  }[]
}

const file = new URL('cases/devices-model.json', import.meta.url)
const model = JSON.parse(readFileSync(file, 'utf8')) as Model

const clock = createFakeClock()
const devices = createDevices({
  secret: 'a secret of at least thirty-two bytes',
  database: 'sqlite::memory:',
  users: createMemoryUsers([{ id: '1', username: 'ada', password: 'pw' }]),
  clock,
  locate: (address) => ({ city: 'Berlin', country: address === '203.0.113.10' ? 'DE' : 'FR' }),
})
const recorder = recordSignals(devices.signals)
let device: TrustedDevice
let json: Record<string, unknown>

const token = async (address: string) => {
  const request = new Request('http://localhost/trusted-devices/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'UA-A/1' },
    body: JSON.stringify({ username: 'ada', password: 'pw' }),
  })
  return (await (await devices.fetch(request, { address })).json()) as Record<string, string>
}

beforeAll(async () => {
  const { access } = await token('203.0.113.10')
  const request = new Request('http://localhost/trusted-devices', {
    headers: { authorization: `Bearer ${access}` },
  })
  const answer = await devices.fetch(request, { address: '203.0.113.10' }) // Stores the last use.
  const { devices: list } = (await answer.json()) as { devices: Record<string, unknown>[] }
  json = list[0] ?? {}
  const [first] = (await devices.registry.list('1')).devices
  if (!first) throw new Error('no device')
  device = first
})
afterAll(() => devices.close())

/**
 * By the field of the original: our property, its value on `device`, and its name in JSON. If we
 * have no such property, the entry is the reason.
 */
const MEMBERS: Readonly<Record<string, readonly [keyof TrustedDevice, unknown, string] | string>> =
  {
    device_uid: [
      'uid',
      expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      'uid',
    ],
    user: ['userId', '1', 'user_id'],
    name: ['name', 'UA-A', 'name'],
    user_agent: ['userAgent', 'UA-A/1', 'user_agent'],
    country: ['country', 'DE', 'country'],
    region: 'city and country are what the specification has',
    city: ['city', 'Berlin', 'city'],
    ip_address: ['address', '203.0.113.10', 'address'],
    last_ip: ['lastAddress', '203.0.113.10', 'last_address'],
    last_seen: ['lastSeenAt', new Date(clock()), 'last_seen_at'],
    created_at: ['createdAt', new Date(clock()), 'created_at'],
    can_update_other_devices: ['canEditOthers', true, 'can_edit_others'],
    can_delete_other_devices: ['canDeleteOthers', true, 'can_delete_others'],
  }

describe('fields of the original’s TrustedDevice', () => {
  it.each(model.fields.map(({ name }) => [name]))('%s', (name) => {
    const member = MEMBERS[name]
    expect(member, 'has no place here').toBeDefined()
    if (typeof member === 'string' || !member) return
    const [key, value, wire] = member
    expect(device[key]).toEqual(value)
    expect(json).toHaveProperty(wire, value instanceof Date ? value.toISOString() : device[key])
  })
})

describe('signals of the original', () => {
  it('have the specified properties, with the same types everywhere (S14)', async () => {
    await token('198.51.100.7')
    await devices.registry.revokeAll('1')
    const [created, , suspicious, revoked] = recorder.events
    const event = {
      sender: TrustedDevice,
      instance: devices,
      at: new Date(clock()),
      eventId: expect.any(String),
    }
    const user = { id: '1', username: 'ada', password: 'pw' }
    expect(created).toMatchObject({
      ...event,
      user,
      device: expect.any(TrustedDevice),
      reason: 'login',
    })
    expect(suspicious).toMatchObject({
      ...event,
      user,
      previousCountries: new Set(['DE']),
      reason: 'new_country',
    })
    expect(revoked).toMatchObject({ ...event, user, deviceUid: device.uid, actor: null })
    const ours = ['device_created', 'device_revoked', 'suspicious_login', 'device_compromised']
    expect(model.signals.map(({ name }) => name)).toEqual(ours)
    expect(Object.values(devices.signals).map(({ name }) => name)).toEqual(ours)
  })
})
