import type { TestEngine } from '@quillgate/server/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Choice, killEverywhere } from './enumerate.ts'
import { watchFiles } from './failpoints/mortal-files.ts'
import type { Scenario } from './scenarios/index.ts'
import { createTrials, type Trials } from './try-kill.ts'
import { type Ground, openGround } from './world.ts'

/** One test for each scenario, and at the end how many processes were killed. */
export function describeKills(
  engine: TestEngine,
  scenarios: readonly Scenario[],
  choiceOf: (scenario: Scenario) => Choice,
): void {
  let ground: Ground
  let trials: Trials
  let killed = 0

  beforeAll(async () => {
    await watchFiles()
    ground = await openGround(engine)
    trials = createTrials(ground)
  })
  afterAll(async () => {
    await ground.close()
    console.log(`${killed} processes killed on ${engine.name}`)
  })

  for (const scenario of scenarios) {
    it(scenario.name, { timeout: 120_000 }, async () => {
      const { kills, failures } = await killEverywhere(ground, trials, scenario, choiceOf(scenario))
      killed += kills
      expect(failures).toEqual([])
      expect(kills).toBeGreaterThan(0)
    })
  }
}
