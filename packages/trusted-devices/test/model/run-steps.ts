import type { TestEngine } from '@quillgate/server/testing'
import fc from 'fast-check'
import { histories, runHistory } from './history.ts'
import { Sequence } from './sequence.ts'
import { SETTINGS } from './settings.ts'
import { type Step, step } from './steps.ts'
import { openWorld, type World } from './world.ts'

export interface RunOptions {
  readonly engine: TestEngine
  /**
   * `at once`: parallel steps, after which general rules are checked. `one by one`: sequential
   * steps, each with a known result.
   */
  readonly kind: 'at once' | 'one by one'
  /** The minimum number of steps. */
  readonly steps: number
  /** The time in seconds after which no further batch starts. @default no limit */
  readonly seconds?: number
  /** The seed of the first batch. Each further batch adds 1 to the seed. */
  readonly seed: number
  /** Called after each sequence or history with the number of its steps. */
  onSteps?(steps: number): void
}

const RUNS_OF_A_BATCH = 5
const LONGEST_SEQUENCE = 150
// Milliseconds after which fast-check ends a batch or its search for a smaller counterexample.
const PATIENCE = 60_000

class StepCommand implements fc.AsyncCommand<object, Sequence> {
  readonly #step: Step

  constructor(step: Step) {
    this.#step = step
  }

  check(): boolean {
    return true
  }

  run(_model: object, sequence: Sequence): Promise<void> {
    return sequence.run(this.#step)
  }

  toString(): string {
    return JSON.stringify(this.#step)
  }
}

const commands = fc.commands([step.map((each) => new StepCommand(each))], {
  maxCommands: LONGEST_SEQUENCE,
  size: 'max',
})

/**
 * Runs random sequences or histories until there are enough steps or the time is over.
 *
 * @returns the number of steps
 * @throws the report of fast-check, with the seed and the path that repeat the failure
 */
export async function runRandom(options: RunOptions): Promise<number> {
  const { engine, kind, seconds, seed } = options
  const world = await openWorld(engine)
  const deadline = performance.now() + (seconds ?? Number.POSITIVE_INFINITY) * 1000
  let done = 0
  const check = checkOf(kind, world, (steps) => {
    done += steps
    options.onSteps?.(steps)
  })
  try {
    for (let batch = 0; done < options.steps && performance.now() < deadline; batch++) {
      const failure = await check({
        seed: (seed + batch) | 0,
        numRuns: RUNS_OF_A_BATCH,
        interruptAfterTimeLimit: PATIENCE,
      })
      if (failure)
        throw new Error(`${engine.name}, ${kind}: ${failure.report}`, { cause: failure.cause })
    }
  } finally {
    await world.close()
  }
  return done
}

type Parameters = Pick<fc.Parameters<unknown>, 'seed' | 'numRuns' | 'interruptAfterTimeLimit'>
type Failure = { readonly report: string; readonly cause: unknown } | null

function checkOf(kind: RunOptions['kind'], world: World, onSteps: (steps: number) => void) {
  const alone = createQueue()
  const failureOf = <Values>(details: fc.RunDetails<Values>): Failure =>
    // A batch that was interrupted during its first run also counts as failed, but has no
    // counterexample.
    details.failed && details.counterexample
      ? { report: fc.defaultReportMessage(details) ?? '', cause: details.errorInstance }
      : null
  if (kind === 'at once') {
    const property = fc.asyncProperty(histories, (history) =>
      alone(async () => onSteps(await runHistory(world, history))),
    )
    return async (parameters: Parameters): Promise<Failure> =>
      failureOf(await fc.check(property, parameters))
  }
  const property = fc.asyncProperty(fc.nat(SETTINGS.length - 1), commands, (settings, steps) =>
    alone(async () => {
      const all = [new StepCommand({ do: 'configure', settings }), ...steps]
      await runSequence(world, all)
      onSteps(all.length)
    }),
  )
  return async (parameters: Parameters): Promise<Failure> =>
    failureOf(await fc.check(property, parameters))
}

/**
 * Returns a function that runs calls one after the other. Without it, a call that fast-check
 * abandoned would disturb the next call in the same world.
 */
function createQueue(): (work: () => Promise<void>) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
}

async function runSequence(
  world: World,
  commands: Iterable<fc.AsyncCommand<object, Sequence>>,
): Promise<void> {
  const sequence = new Sequence(world)
  try {
    await fc.asyncModelRun(() => ({ model: {}, real: sequence }), commands)
  } finally {
    await sequence.end()
  }
}
