import { type Spread, spreadOf } from '../../lib/statistics.ts'
import type { Scene } from './scene.ts'
import type { Site } from './site.ts'
import { type Effort, type Sample, takeSample } from './typist.ts'

/** The number and duration of measurements. */
export interface Rounds extends Effort {
  readonly rounds: number
}

/**
 * The samples of several scenes, measured in turns. Those with the same index were measured one
 * after the other.
 */
export type Samples<Name extends string> = ReadonlyMap<Name, readonly Sample[]>

/**
 * Measures scenes in turns (A B C, B C A, …), each in its own browser.
 *
 * @param sceneOf - returns the scene of a name in a round
 */
export async function inTurns<Name extends string>(
  site: Site,
  names: readonly Name[],
  sceneOf: (name: Name, round: number) => Scene,
  { rounds, ...effort }: Rounds,
): Promise<Samples<Name>> {
  const samples = new Map<Name, Sample[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const first = round % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      samples.get(name)?.push(await takeSample(site, sceneOf(name, round), effort))
    }
  }
  return samples
}

/** The summary of one scene's samples. */
export interface Summary {
  /** CPU time of the main thread and of all threads per key, in ms. */
  readonly main: Spread
  readonly process: Spread
  /** The time from a key to its frame, in ms: the median and the 95th percentile. */
  readonly p50: number
  readonly p95: number
  readonly longestTask: number
  readonly longestRun: number
}

/** The header of a table of {@link toCells}. */
export const summaryColumns: readonly string[] = [
  'main thread, ms per key',
  'all threads',
  'key to frame p50, p95',
  'longest task',
  'run of ours',
]

/** @throws RangeError without samples */
export function summarize(samples: readonly Sample[]): Summary {
  const latencies = samples.flatMap((sample) => sample.latencies).toSorted((a, b) => a - b)
  const at = (share: number): number =>
    latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN
  return {
    main: spreadOf(samples.map(({ main }) => main)),
    process: spreadOf(samples.map(({ process }) => process)),
    p50: at(0.5),
    p95: at(0.95),
    longestTask: Math.max(...samples.map(({ longestTask }) => longestTask)),
    longestRun: Math.max(...samples.map(({ longestRun }) => longestRun)),
  }
}

/** Returns a summary as cells of a table. */
export function toCells({ main, process, p50, p95, longestTask, longestRun }: Summary): string[] {
  return [
    `${main.median.toFixed(2)} (${main.low.toFixed(2)}–${main.high.toFixed(2)})`,
    process.median.toFixed(2),
    `${p50.toFixed(1)}, ${p95.toFixed(1)} ms`,
    `${longestTask.toFixed(0)} ms`,
    longestRun === 0 ? '' : `${longestRun.toFixed(1)} ms`,
  ]
}

/** The notes of all typing tables. */
export function notesOf({ rounds, keys }: Rounds): string[] {
  return [
    `A key each 80 ms. CPU time of the page’s main thread (threadTicks) until the page is still again, divided by ${keys} keys;`,
    `each sample in a browser of its own, in turns, ${rounds} of each; median (quartiles). Key to frame: EventLatency of a`,
    'trace, frames at 60 Hz.',
  ]
}
