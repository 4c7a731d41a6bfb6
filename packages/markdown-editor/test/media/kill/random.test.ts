import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runRound } from './random/round.ts'
import { openServerHouse, type ServerHouse } from './random/server-process.ts'
import { openGround } from './world.ts'

/** The same requests in each run; the long check has a new seed each time. */
const SEED = 20261122

describe('a running server that is killed at random moments', () => {
  let house: ServerHouse
  beforeAll(async () => {
    house = await openServerHouse()
  })
  afterAll(() => house.close())

  describeDatabases((engine) => {
    const kills = engine.name === 'sqlite' ? 20 : 4
    it(`keeps exactly what it confirmed, ${kills} times`, {
      timeout: 120_000,
    }, async () => {
      const ground = await openGround(engine)
      const seed = SEED
      try {
        const { problems } = await runRound(house, ground, { kills, seed })
        expect(problems, `seed ${seed}`).toEqual([])
      } finally {
        await ground.close()
      }
    })
  })
})
