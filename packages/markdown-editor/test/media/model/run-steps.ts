import type { TestEngine } from '@quillgate/server/testing'
import fc from 'fast-check'
import { runHistory } from './run-history.ts'
import { runSequence, sequences } from './sequential.ts'
import { histories, worldOptions } from './steps.ts'

export interface RunOptions {
  readonly engine: TestEngine
  /** `concurrent` checks invariants. `sequential` compares every row with the specification. */
  readonly kind: 'concurrent' | 'sequential'
  /** The minimum number of steps. */
  readonly steps: number
  /** The seconds after which no further batch starts. @default no limit */
  readonly seconds?: number
  /** The seed of the first batch. Each further batch uses the next number. */
  readonly seed: number
  /** Called with the number of newly performed steps. */
  onSteps?(steps: number): void
}

/** The number of concurrent worlds of one engine. They mostly wait for their databases. */
const WORKERS = 2
const RUNS_OF_A_BATCH = 2
const LONGEST_HISTORY = 40
/** The milliseconds after which fast-check stops shrinking a failure. */
const SHRINK_TIME = 60_000

/**
 * Performs batches of random histories or sequences until there are enough steps or the time is
 * over. A seed determines the steps, but not how concurrent steps interleave, which also depends on
 * the databases.
 *
 * @returns the number of steps
 * @throws the report of fast-check, with the seed and the path that repeat the failure
 */
export async function runSteps({
  engine,
  kind,
  steps,
  seconds,
  seed,
  onSteps,
}: RunOptions): Promise<number> {
  let [done, batch, hasFailed] = [0, 0, false]
  const count = (more: number): void => {
    done += more
    onSteps?.(more)
  }
  const deadline = performance.now() + (seconds ?? Number.POSITIVE_INFINITY) * 1000
  const check = checkOf(kind, engine, count)
  const worker = async (): Promise<void> => {
    while (done < steps && !hasFailed && performance.now() < deadline) {
      const parameters = {
        seed: (seed + batch++) | 0,
        numRuns: RUNS_OF_A_BATCH,
        interruptAfterTimeLimit: SHRINK_TIME,
      }
      const failure = await check(parameters)
      if (!failure) continue
      hasFailed = true
      throw failure
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: WORKERS }, worker))
  for (const result of workers) if (result.status === 'rejected') throw result.reason
  return done
}

type Check = (parameters: {
  seed: number
  numRuns: number
  interruptAfterTimeLimit: number
}) => Promise<Error | null>

function checkOf(
  kind: RunOptions['kind'],
  engine: TestEngine,
  count: (steps: number) => void,
): Check {
  const failureOf = <Values>(details: fc.RunDetails<Values>): Error | null => {
    // fast-check reports a batch as failed if it is interrupted during its first history.
    if (!details.failed || details.counterexample === null) return null
    const report = fc.defaultReportMessage(details)
    return new Error(`${engine.name}, ${kind}: ${report}`, { cause: details.errorInstance })
  }
  if (kind === 'sequential') {
    const property = fc.asyncProperty(sequences, worldOptions, async (commands, options) => {
      count(await runSequence(engine, commands, options))
    })
    return async (parameters) => failureOf(await fc.check(property, parameters))
  }
  const property = fc.asyncProperty(
    histories(LONGEST_HISTORY),
    worldOptions,
    async (moments, options) => {
      count(await runHistory(engine, moments, options))
    },
  )
  return async (parameters) => failureOf(await fc.check(property, parameters))
}
