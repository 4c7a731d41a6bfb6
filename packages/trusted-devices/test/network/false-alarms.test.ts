import { sqliteEngine } from '@quillgate/server/testing'
import { describe, expect, it } from 'vitest'
import { replay } from '../../../../benchmarks/suites/devices/alarms-replay.ts'
import { BearerClient } from '../support/client.ts'
import { openHouse } from '../support/house.ts'

const SMALL = { people: 1, days: 35, seed: 7 }
const NEVER_ABROAD = [
  'office and home',
  'a phone on many networks',
  'IPv4 and IPv6 in turn',
  'private windows at home',
  'browser updates, a new phone each year',
  'two people at one computer',
]

// `npm run bench -- devices alarms` simulates the same users for a year and prints the results.
describe('legitimate users who travel, use VPNs, change networks and clear cookies', () => {
  it('are never signed out, and cause no alarm if they stay at home', {
    timeout: 120_000,
  }, async () => {
    const results = await replay(SMALL)
    for (const { persona, logins, requests, signOuts, compromised, alarms } of results) {
      expect([persona, signOuts, compromised]).toEqual([persona, 0, 0])
      expect(logins).toBeGreaterThan(0)
      expect(requests).toBeGreaterThan(0)
      if (NEVER_ABROAD.includes(persona)) expect([persona, alarms]).toEqual([persona, 0])
    }
    expect(results.map(({ persona }) => persona)).toEqual(expect.arrayContaining(NEVER_ABROAD))
    // The other users do cause alarms, so the zeros above do not come from missing signals.
    expect(results.reduce((sum, { alarms }) => sum + alarms, 0)).toBeGreaterThan(0)
  })

  it('are counted when they are signed out (check of this test)', {
    timeout: 120_000,
  }, async () => {
    const results = await replay({ ...SMALL, days: 3, settings: { refreshTokenLifetime: 600 } })
    expect(results.reduce((sum, { signOuts }) => sum + signOuts, 0)).toBeGreaterThan(0)
  })
})

it('a session continues when only its address changes (S06)', async () => {
  const house = await openHouse(sqliteEngine(), { lastSeenInterval: 0 })
  const client = new BearerClient(house.devices)
  await client.login()
  house.signals.take()
  for (const address of [
    '2001:db8::1',
    '203.0.113.10',
    '2001:DB8:0:0::1',
    '2001:db8::2',
    '198.51.100.7',
    '::ffff:203.0.113.10',
    '203.0.113.10',
  ])
    expect((await client.send('GET', '/trusted-devices', { address })).status).toBe(200)
  const left = await client.send('POST', '/trusted-devices/logout', { address: '192.0.2.44' })
  expect(left.status).toBe(204)
  expect(house.signals.names()).toEqual(['device_revoked'])
  await house.close()
})
