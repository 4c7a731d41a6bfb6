import { sqliteEngine, type TestEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Choice, killEverywhere } from './enumerate.ts'
import { scenarios } from './scenarios.ts'
import { createTryKill, type TryKill } from './try-kill.ts'
import { type Environments, openEnvironments } from './world.ts'

function describeKills(engine: TestEngine, choice: Choice): void {
  let environments: Environments
  let tryKill: TryKill
  let [killed, repeated] = [0, 0]
  beforeAll(async () => {
    environments = await openEnvironments(engine)
    tryKill = createTryKill(environments)
  })
  afterAll(async () => {
    await environments.close()
    console.log(`${killed} processes killed on ${engine.name}, ${repeated} events told again`)
  })
  for (const scenario of scenarios) {
    it(scenario.name, { timeout: 120_000 }, async () => {
      const result = await killEverywhere(tryKill, scenario, choice)
      killed += result.kills
      repeated += result.repeated
      expect(result.failures).toEqual([])
      expect(result.kills).toBeGreaterThan(0)
    })
  }
}

describe('no signal is lost when the process is killed at each database and receiver call', () => {
  describeKills(sqliteEngine(), { step: 1 })
})

describe('no signal is lost when the process is killed at some calls', () => {
  describeDatabases((engine) => describeKills(engine, { step: 9 }), ['postgres', 'mariadb'])
})
