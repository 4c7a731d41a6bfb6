import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runRound } from './random/round.ts'
import { openServerHouse, type ServerHouse } from './random/server-process.ts'

/** The fixed seed of the users' actions. The long check uses a new seed each time. */
const SEED = 20261122

describe('a running server that is killed at random moments', () => {
  let house: ServerHouse
  beforeAll(async () => {
    house = await openServerHouse()
  })
  afterAll(() => house.close())

  describeDatabases((engine) => {
    const kills = engine.name === 'sqlite' ? 20 : 4
    it(`loses no signal in ${kills} kills`, { timeout: 120_000 }, async () => {
      const { problems, events, repeated } = await runRound(house, engine, { kills, seed: SEED })
      console.log(
        `${engine.name}: ${kills} servers killed, ${events} events received, ${repeated} of them again`,
      )
      expect(problems, `seed ${SEED}`).toEqual([])
      expect(events).toBeGreaterThan(0)
    })
  })
})
