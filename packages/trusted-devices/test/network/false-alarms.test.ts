import { describe, expect, it } from 'vitest'
import { replay } from '../../../../benchmarks/suites/devices/alarms-replay.ts'

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
