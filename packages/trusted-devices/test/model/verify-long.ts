import { availableEngines } from '@quillgate/server/testing'
import { runRandom } from './run-steps.ts'

const PROGRESS_INTERVAL = 10_000

/**
 * Runs random steps on SQLite, PostgreSQL and MariaDB in parallel (`npm run verify:long --
 * devices`). Half of the steps run one by one, and each result is compared with the expected
 * result. The other half run in parallel, and only general rules are checked.
 *
 * @param options.count the total number of steps on all databases
 * @returns true if no check failed
 */
export async function run({ count, seed }: { count: number; seed: number }): Promise<boolean> {
  const engines = await availableEngines((name, reason) =>
    console.log(`devices: ${name} does not answer: ${reason}`),
  )
  console.log(
    `devices: ${count} steps on ${engines.map(({ name }) => name).join(', ')}, seed ${seed}`,
  )
  let done = 0
  const onSteps = (more: number): void => {
    done += more
  }
  const report = setInterval(() => console.log(`devices: ${done} steps`), PROGRESS_INTERVAL)
  const works = engines.map(async (engine) => {
    const steps = Math.ceil(count / engines.length / 2)
    await runRandom({ engine, kind: 'one by one', steps, seed, onSteps })
    await runRandom({ engine, kind: 'at once', steps, seed, onSteps })
  })
  const failures = (await Promise.allSettled(works)).filter(
    (result) => result.status === 'rejected',
  )
  clearInterval(report)
  for (const engine of engines) await engine.close()
  for (const { reason } of failures) console.log('devices: FAILED:', reason)
  console.log(`devices: ${done} steps, ${failures.length} violations`)
  return failures.length === 0
}
