import { availableEngines, sqliteEngine, type TestEngine } from '@quillgate/server/testing'
import { killEverywhere } from './enumerate.ts'
import { watchFiles } from './failpoints/mortal-files.ts'
import { openInstallationPool } from './installation-pool.ts'
import { runRound } from './random/round.ts'
import { openServerHouse } from './random/server-process.ts'
import { scenarios } from './scenarios/index.ts'
import { createTrials } from './try-kill.ts'

export interface KillOptions {
  /** The number of random kills of running servers. */
  readonly count: number
  /** The seed of the users' requests. The moments of the kills are not reproducible. */
  readonly seed: number
  /** The number of random kills that an earlier run has done. */
  readonly from: number
  /** The number of concurrent rounds. */
  readonly workers: number
}

const KILLS_PER_ROUND = 20

/**
 * Kills each scenario at each call of the storage and the database. On SQLite, also kills it at
 * each call that changes a file on disk.
 *
 * @param isPowerFailure whether unsynced files are lost too
 */
async function verifyCalls(engine: TestEngine, isPowerFailure = false): Promise<boolean> {
  const pool = await openInstallationPool(engine)
  const trials = createTrials(pool)
  const choice = {
    files: engine.name === 'sqlite',
    points: 'all',
    retries: 'both',
    isPowerFailure,
  } as const
  let killed = 0
  let isFine = true
  for (const scenario of scenarios) {
    const { kills, failures } = await killEverywhere(pool, trials, scenario, choice)
    killed += kills
    isFine &&= failures.length === 0
    for (const failure of failures.slice(0, 10))
      console.log(`kill: WRONG: ${engine.name}: ${failure}`)
  }
  await pool.close()
  console.log(
    `kill: ${engine.name}: ${killed} processes killed at their calls, ${isFine ? 'nothing' : 'SOMETHING'} wrong`,
  )
  return isFine
}

async function verifyServers(
  engines: readonly TestEngine[],
  options: KillOptions,
): Promise<boolean> {
  const { count, seed, from, workers } = options
  const house = await openServerHouse()
  const rounds = Math.ceil((from + count) / KILLS_PER_ROUND)
  let next = Math.floor(from / KILLS_PER_ROUND)
  let [killed, answered, isFine] = [0, 0, true]
  const work = async (): Promise<void> => {
    const pools = await Promise.all(engines.map(openInstallationPool))
    for (let round = next++; round < rounds && isFine; round = next++) {
      const pool = pools[round % pools.length]
      if (!pool) break
      const { kills, answers, problems } = await runRound(house, pool, {
        kills: KILLS_PER_ROUND,
        seed: seed + round,
      })
      killed += kills
      answered += answers
      isFine &&= problems.length === 0
      const where = `${pool.engine}, --seed=${seed} --from=${round * KILLS_PER_ROUND}`
      for (const problem of problems.slice(0, 10)) console.log(`kill: WRONG: ${where}: ${problem}`)
    }
    for (const pool of pools) await pool.close()
  }
  const progress = setInterval(
    () => console.log(`kill: ${killed} of ${count} servers killed`),
    10_000,
  )
  try {
    await Promise.all(Array.from({ length: workers }, work))
  } finally {
    clearInterval(progress)
    await house.close()
  }
  const wrong = isFine ? 'nothing lost, nothing left' : 'SOMETHING WRONG'
  console.log(
    `kill: ${killed} servers killed, ${answered} requests answered, seed ${seed}: ${wrong}`,
  )
  return isFine
}

const options = JSON.parse(process.argv[2] ?? '') as KillOptions
await watchFiles()
const engines = await availableEngines((name, reason) => {
  if (process.env['QUILLGATE_REQUIRE_SERVICES'] === '1') throw new Error(`${name}: ${reason}`)
  console.log(`kill: without ${name}, which does not answer: ${reason}`)
})
let isFine = true
// A continued run skips the kills at calls.
for (const engine of options.from > 0 ? [] : engines) isFine = (await verifyCalls(engine)) && isFine
if (options.from === 0) isFine = (await verifyCalls(sqliteEngine(), true)) && isFine
isFine = (await verifyServers(engines, options)) && isFine
process.exit(isFine ? 0 : 1)
