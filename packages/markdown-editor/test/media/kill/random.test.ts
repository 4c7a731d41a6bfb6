import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openInstallationPool } from './installation-pool.ts'
import { runRound } from './random/round.ts'
import { openServerHouse, type ServerHouse } from './random/server-process.ts'

/** The fixed seed of the users' requests. The long verification uses other seeds. */
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
      const pool = await openInstallationPool(engine)
      const seed = SEED
      try {
        const { problems } = await runRound(house, pool, { kills, seed })
        expect(problems, `seed ${seed}`).toEqual([])
      } finally {
        await pool.close()
      }
    })
  })
})
