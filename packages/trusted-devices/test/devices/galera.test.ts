import { describeGalera } from '@quillgate/server/testing/suites'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BearerClient } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { openHouse } from '../support/house.ts'
import { STORM, stormOn } from '../support/storm.ts'

const ROUNDS = 30
/** The number of repetitions of the last test. `npm run verify:long -- galera` sets the number. */
const STORMS = Number(process.env['QUILLGATE_TEST_STORMS'] ?? 1)

describeGalera(({ engine, urlsOf }) => {
  describe('trusted devices on a Galera cluster', () => {
    it('shows each node immediately what another node has written', async () => {
      const house = await openHouse(engine)
      onTestFinished(() => house.close())
      const nodes = urlsOf(house.url).map((url) => house.reopenWith({ database: url }))
      const nodeAt = (index: number) => nodes[index % nodes.length] as TestDevices
      for (let round = 0; round < ROUNDS; round++) {
        const here = new BearerClient(nodeAt(round))
        expect((await here.login()).status).toBe(200)
        const there = Object.assign(here.copy(), { devices: nodeAt(round + 1) })
        expect((await there.refreshTokens()).status).toBe(200)
        expect((await there.send('POST', '/trusted-devices/logout')).status).toBe(204)
        expect((await here.send('GET', '/trusted-devices')).status).toBe(401)
      }
      expect(house.signals.names().filter((name) => name === 'device_compromised')).toEqual([])
    })

    for (let run = 1; run <= STORMS; run++) {
      const title = `${STORM} on all nodes: never over the limit, each eviction once, no error (${run})`
      it(title, () => stormOn(engine, urlsOf), 120_000)
    }
  })
})
