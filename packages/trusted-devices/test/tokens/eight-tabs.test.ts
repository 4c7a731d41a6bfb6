import { describeDatabases } from '@quillgate/server/testing/suites'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BearerClient, problemOf } from '../support/client.ts'
import { openHouse } from '../support/house.ts'

const TABS = 8
const ROUNDS = 100
const HOUR = 3_600_000

/**
 * A round has the hours for which all tabs slept, the number of lost responses of each tab, and
 * whether the access token is used.
 */
const rounds = fc.array(
  fc.record({
    hours: fc.integer({ min: 1, max: 12 }),
    lost: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: TABS, maxLength: TABS }),
    uses: fc.boolean(),
  }),
  { minLength: ROUNDS, maxLength: ROUNDS },
)

describe('eight tabs that share their storage', () => {
  describeDatabases((engine) => {
    it('stay signed in through a hundred refreshes with lost answers and hours of sleep', {
      timeout: 120_000,
    }, async () => {
      const house = await openHouse(engine, { refreshRateLimit: null })
      const [history = []] = fc.sample(rounds, { numRuns: 1, seed: 6 })
      // The state that all tabs share. A tab reads it before each attempt.
      const shared = new BearerClient(house.devices)
      await shared.login()
      let stolen = ''
      const refresh = async (lost: number): Promise<void> => {
        const before = shared.refresh
        for (let attempt = 0; shared.refresh === before; attempt++) {
          const tab = shared.copy()
          const response = await tab.refreshTokens()
          expect(response.status).toBe(200)
          // The response of this attempt is not lost.
          if (attempt >= lost) Object.assign(shared, { access: tab.access, refresh: tab.refresh })
        }
      }
      for (const [round, { hours, lost, uses }] of history.entries()) {
        house.clock.advance(hours * HOUR)
        if (round === ROUNDS / 2) stolen = shared.refresh
        await Promise.all(lost.map((times) => refresh(times)))
        if (uses) expect((await shared.send('GET', '/trusted-devices')).status).toBe(200)
      }
      expect((await shared.send('GET', '/trusted-devices')).status).toBe(200)
      expect(house.signals.names()).toEqual(['device_created'])

      house.clock.advance(31_000)
      expect(await problemOf(await shared.copy().refreshTokens(stolen))).toBe('401 token_reused')
      expect(house.signals.names()).toEqual([
        'device_created',
        'device_revoked',
        'device_compromised',
      ])
      await house.close()
    })
  })
})
