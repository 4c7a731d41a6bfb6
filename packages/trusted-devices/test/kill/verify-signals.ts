import { availableEngines, type TestEngine } from '@quillgate/server/testing'
import { killEverywhere } from './enumerate.ts'
import { runRound } from './random/round.ts'
import { openServerHouse } from './random/server-process.ts'
import { scenarios } from './scenarios.ts'
import { createTryKill } from './try-kill.ts'
import { openEnvironments } from './world.ts'

export interface SignalOptions {
  /** The number of random kills of running servers. */
  readonly count: number
  /** The seed of the users' actions. The moments of the kills are random in each run. */
  readonly seed: number
  /** The number of kills that an earlier run has already done. */
  readonly from: number
  /** The number of parallel rounds. */
  readonly workers: number
}

const KILLS_PER_ROUND = 20

async function verifyCalls(engine: TestEngine): Promise<boolean> {
  const environments = await openEnvironments(engine)
  const tryKill = createTryKill(environments)
  let [killed, again, isFine] = [0, 0, true]
  for (const scenario of scenarios) {
    const { kills, repeated, failures } = await killEverywhere(tryKill, scenario, { step: 1 })
    killed += kills
    again += repeated
    isFine &&= failures.length === 0
    for (const failure of failures.slice(0, 10))
      console.log(`signals: WRONG: ${engine.name}: ${failure}`)
  }
  await environments.close()
  const wrong = isFine ? 'no signal lost' : 'SOMETHING WRONG'
  console.log(
    `signals: ${engine.name}: ${killed} processes killed at their calls, ${again} events told again: ${wrong}`,
  )
  return isFine
}

async function verifyServers(
  engines: readonly TestEngine[],
  options: SignalOptions,
): Promise<boolean> {
  const { count, seed, from, workers } = options
  const house = await openServerHouse()
  const rounds = Math.ceil((from + count) / KILLS_PER_ROUND)
  let next = Math.floor(from / KILLS_PER_ROUND)
  let [killed, received, again, isFine] = [0, 0, 0, true]
  const work = async (): Promise<void> => {
    for (let round = next++; round < rounds && isFine; round = next++) {
      const engine = engines[round % engines.length]
      if (!engine) break
      const result = await runRound(house, engine, { kills: KILLS_PER_ROUND, seed: seed + round })
      killed += result.kills
      received += result.events
      again += result.repeated
      isFine &&= result.problems.length === 0
      const where = `${engine.name}, --seed=${seed} --from=${round * KILLS_PER_ROUND}`
      for (const problem of result.problems.slice(0, 10))
        console.log(`signals: WRONG: ${where}: ${problem}`)
    }
  }
  const progress = setInterval(
    () => console.log(`signals: ${killed} of ${count} servers killed`),
    10_000,
  )
  try {
    await Promise.all(Array.from({ length: workers }, work))
  } finally {
    clearInterval(progress)
    await house.close()
  }
  const wrong = isFine ? 'no signal lost' : 'SOMETHING WRONG'
  console.log(
    `signals: ${killed} servers killed, ${received} events received, ${again} of them again, seed ${seed}: ${wrong}`,
  )
  return isFine
}

const options = JSON.parse(process.argv[2] ?? '') as SignalOptions
const engines = await availableEngines((name, reason) => {
  if (process.env['QUILLGATE_REQUIRE_SERVICES'] === '1') throw new Error(`${name}: ${reason}`)
  console.log(`signals: without ${name}, which does not answer: ${reason}`)
})
let isFine = true
// If `from` continues an earlier run, that run has already verified the calls.
for (const engine of options.from > 0 ? [] : engines) isFine = (await verifyCalls(engine)) && isFine
isFine = (await verifyServers(engines, options)) && isFine
process.exit(isFine ? 0 : 1)
