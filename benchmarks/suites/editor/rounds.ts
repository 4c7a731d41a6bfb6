import { type Spread, spreadOf } from '../../lib/statistics.ts'
import type { Scene } from './scene.ts'
import type { Site } from './site.ts'
import { type Effort, type Sample, takeSample } from './typist.ts'

export interface Rounds extends Effort {
  readonly rounds: number
}

/** Samples with the same index were measured one after the other. */
export type Samples<Name extends string> = ReadonlyMap<Name, readonly Sample[]>

/**
 * Measures scenes in turns (A B C, B C A, …). Each scene has its own browser.
 *
 * @param sceneOf - returns the scene for a name and a round
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

export interface Summary {
  /**
   * The CPU time per keystroke in ms. `main` is the time of the main thread. `process` is the time
   * of all threads.
   */
  readonly main: Spread
  readonly process: Spread
  /**
   * The time in ms from a keystroke to the frame that shows it. `p50` is the median, `p95` the 95th
   * percentile.
   */
  readonly p50: number
  readonly p95: number
  readonly longestTask: number
  readonly longestRun: number
}

/** The headers of the columns that {@link toCells} fills. */
export const summaryColumns: readonly string[] = [
  'main thread, ms per keystroke',
  'all threads',
  'keystroke to frame: p50, p95',
  'longest task',
  'longest script run',
]

/** Throws a RangeError if there are no samples. */
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

export function toCells({ main, process, p50, p95, longestTask, longestRun }: Summary): string[] {
  return [
    `${main.median.toFixed(2)} (${main.low.toFixed(2)}–${main.high.toFixed(2)})`,
    process.median.toFixed(2),
    `${p50.toFixed(1)}, ${p95.toFixed(1)} ms`,
    `${longestTask.toFixed(0)} ms`,
    longestRun === 0 ? '' : `${longestRun.toFixed(1)} ms`,
  ]
}

export function notesOf({ rounds, keys }: Rounds): string[] {
  return [
    `One keystroke every 80 ms. CPU time of the page’s main thread (threadTicks) until the page is idle again, divided by ${keys} keystrokes.`,
    `Each sample has its own browser. There are ${rounds} samples of each scene, in turns. Medians (quartiles).`,
    'Keystroke to frame is the EventLatency of a trace, with frames at 60 Hz.',
  ]
}
