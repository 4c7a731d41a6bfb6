import { Isolate } from './isolate.ts'
import { type Spread, spreadOf } from './statistics.ts'

/** The exports of a module with contenders: the programs that {@link compare} compares. */
export interface ContenderModule {
  prepare(name: string): Promise<void>
  /** Runs the work of the contender a number of times, and returns the total CPU time, in ms. */
  time(repeats: number): number | Promise<number>
}

export interface Effort {
  readonly rounds: number
  /** The minimum CPU time of one sample, in ms. */
  readonly sample: number
  /** The minimum CPU time before the first sample, in ms, so that the code is compiled. */
  readonly warmUp: number
}

/** The samples of several contenders that were measured in turns. */
export class Comparison {
  readonly #samples: ReadonlyMap<string, readonly number[]>

  /**
   * @param samples - the times in ms by contender. Samples with the same index were measured one
   * after the other.
   */
  constructor(samples: ReadonlyMap<string, readonly number[]>) {
    this.#samples = samples
  }

  /** Returns the time of a contender, in ms. */
  time(name: string): Spread {
    return spreadOf(this.#of(name))
  }

  /**
   * Returns how many times as fast a contender is as another. Compares their samples in each round.
   */
  speed(name: string, other: string): Spread {
    const others = this.#of(other)
    return spreadOf(this.#of(name).map((ms, round) => (others[round] ?? Number.NaN) / ms))
  }

  #of(name: string): readonly number[] {
    const samples = this.#samples.get(name)
    if (samples === undefined) throw new RangeError(`"${name}" was not measured.`)
    return samples
  }
}

/**
 * Compares contenders. Each contender runs in its own process. They run in turns (A B C, B C A, …),
 * so that disturbances affect all contenders equally.
 *
 * @param module - a file that exports a {@link ContenderModule}
 */
export async function compare(
  module: URL,
  names: readonly string[],
  effort: Effort,
): Promise<Comparison> {
  const contenders = names.map((name) => ({
    name,
    isolate: new Isolate<ContenderModule>(module),
    repeats: 1,
    samples: [] as number[],
  }))
  try {
    for (const contender of contenders)
      contender.repeats = await warmUp(contender.isolate, contender.name, effort)
    for (let round = 0; round < effort.rounds; round++) {
      const first = round % contenders.length
      for (const { isolate, repeats, samples } of [
        ...contenders.slice(first),
        ...contenders.slice(0, first),
      ]) {
        samples.push((await isolate.call('time', repeats)) / repeats)
      }
    }
    return new Comparison(new Map(contenders.map(({ name, samples }) => [name, samples])))
  } finally {
    for (const { isolate } of contenders) isolate.stop()
  }
}

async function warmUp(
  isolate: Isolate<ContenderModule>,
  name: string,
  effort: Effort,
): Promise<number> {
  await isolate.call('prepare', name)
  let [spent, last, runs] = [0, 0, 0]
  while (spent < effort.warmUp || runs < 2) {
    last = await isolate.call('time', 1)
    spent += last
    runs++
  }
  return Math.max(1, Math.ceil(effort.sample / last))
}
