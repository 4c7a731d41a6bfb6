import type { TestEngine } from '@quillgate/server/testing'
import fc from 'fast-check'
import { runHistory } from './run-history.ts'
import { runSequence, sequences } from './sequential.ts'
import { histories, worldOptions } from './steps.ts'

/** What {@link runSteps} is asked for. */
export interface RunOptions {
  readonly engine: TestEngine
  /** `at once`: histories, of which invariants must hold. `one by one`: sequences, of which everything is known. */
  readonly kind: 'at once' | 'one by one'
  /** How many steps at least. */
  readonly steps: number
  /** After so many seconds no other batch begins. @default no limit */
  readonly seconds?: number
  /** Of the first batch; the next one has the next number. */
  readonly seed: number
  /** Hears of the steps that were done. */
  onSteps?(steps: number): void
}

/** Worlds of one engine that live at the same time; they wait for their databases most of the time. */
const LANES = 2
const RUNS_OF_A_BATCH = 2
const LONGEST_HISTORY = 40
/** Milliseconds after which a failure is not made shorter any more. */
const PATIENCE = 60_000

/**
 * Lets batches of random histories or sequences happen until there were enough steps. The steps of a seed are the same
 * in every run; how what happens at once meets is up to the databases too.
 *
 * @returns how many steps
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
  const lane = async (): Promise<void> => {
    while (done < steps && !hasFailed && performance.now() < deadline) {
      const parameters = {
        seed: (seed + batch++) | 0,
        numRuns: RUNS_OF_A_BATCH,
        interruptAfterTimeLimit: PATIENCE,
      }
      const failure = await check(parameters)
      if (!failure) continue
      hasFailed = true
      throw failure
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const result of lanes) if (result.status === 'rejected') throw result.reason
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
    // A batch that is interrupted before its first history has ended counts as failed too, but found nothing.
    if (!details.failed || details.counterexample === null) return null
    const report = fc.defaultReportMessage(details)
    return new Error(`${engine.name}, ${kind}: ${report}`, { cause: details.errorInstance })
  }
  if (kind === 'one by one') {
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
