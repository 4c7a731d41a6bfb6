import { availableEngines } from '@quillgate/server/testing'
import { runSteps } from './run-steps.ts'

const progressInterval = 10_000

/**
 * Performs steps on all engines concurrently (`npm run verify:long -- lifecycle`). One sixth of
 * them are sequential.
 *
 * @param options.count the number of steps on all engines together
 * @returns whether no guarantee was violated
 */
export async function run({ count, seed }: { count: number; seed: number }): Promise<boolean> {
  const engines = await availableEngines((name, reason) =>
    console.log(`lifecycle: ${name} does not answer: ${reason}`),
  )
  console.log(
    `lifecycle: ${count} steps on ${engines.map(({ name }) => name).join(', ')}, seed ${seed}`,
  )
  let done = 0
  const onSteps = (more: number): void => {
    done += more
  }
  const started = performance.now()
  const report = setInterval(() => {
    const perSecond = Math.round(done / ((performance.now() - started) / 1000))
    console.log(`lifecycle: ${done} steps, ${perSecond} a second`)
  }, progressInterval)
  const works = engines.map(async (engine) => {
    const share = Math.ceil(count / engines.length)
    await runSteps({ engine, kind: 'sequential', steps: Math.ceil(share / 6), seed, onSteps })
    await runSteps({ engine, kind: 'concurrent', steps: Math.ceil((share * 5) / 6), seed, onSteps })
  })
  const failures = (await Promise.allSettled(works)).filter(
    (result) => result.status === 'rejected',
  )
  clearInterval(report)
  for (const engine of engines) await engine.close()
  for (const { reason } of failures) console.log('lifecycle: FAILED:', reason)
  console.log(`lifecycle: ${done} steps, ${failures.length} violations`)
  return failures.length === 0
}
