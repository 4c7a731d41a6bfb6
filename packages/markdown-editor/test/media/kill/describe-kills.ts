import type { TestEngine } from '@quillgate/server/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Choice, killEverywhere } from './enumerate.ts'
import { watchFiles } from './failpoints/mortal-files.ts'
import { type InstallationPool, openInstallationPool } from './installation-pool.ts'
import type { Scenario } from './scenarios/index.ts'
import { createTrials, type Trials } from './try-kill.ts'

export function describeKills(
  engine: TestEngine,
  scenarios: readonly Scenario[],
  choiceOf: (scenario: Scenario) => Choice,
): void {
  let pool: InstallationPool
  let trials: Trials
  let killed = 0

  beforeAll(async () => {
    await watchFiles()
    pool = await openInstallationPool(engine)
    trials = createTrials(pool)
  })
  afterAll(async () => {
    await pool.close()
    console.log(`${killed} processes killed on ${engine.name}`)
  })

  for (const scenario of scenarios) {
    it(scenario.name, { timeout: 120_000 }, async () => {
      const { kills, failures } = await killEverywhere(pool, trials, scenario, choiceOf(scenario))
      killed += kills
      expect(failures).toEqual([])
      expect(kills).toBeGreaterThan(0)
    })
  }
}
