import { Isolate } from '../../lib/isolate.ts'
import type { Part } from '../../lib/report.ts'

const [half, full] = [50_000, 100_000]
const maxTime = 1000
const maxGrowth = 2.5
const minFamilies = 40
// The maximum number of repetitions for a family of texts that misses the goal. The compiler and
// other programs can disturb single measurements. A family whose time is not linear misses the goal
// each time.
const maxRepeats = 5
// Milliseconds. If 100 kB take less time, the growth is ignored, because it is mostly noise of the
// compiler and the garbage collector.
const negligible = 5
// The maximum time in ms for all samples of a family. A family that takes longer is not linear, and
// is stopped.
const deadline = 60_000
const shown = 8

interface Result {
  readonly name: string
  readonly ms: number
  /** The time for 100 kB divided by the time for 50 kB. */
  readonly growth: number
}

/** Measures texts that are designed to be slow. */
export const hostile: Part = async ({ quick }) => {
  const results = await measureAll(quick ? 3 : 7)
  const slowest = results.toSorted((a, b) => b.ms - a.ms)
  const steepest = results
    .filter(({ ms }) => ms >= negligible)
    .toSorted((a, b) => b.growth - a.growth)
  const [worst, steep] = [slowest[0], steepest[0]]
  if (worst === undefined || steep === undefined) throw new Error('No family was measured.')
  return {
    title: `${results.length} families of pathological texts`,
    notes: [
      'A family generates texts of one kind. CPU time of the main thread. The shortest of several samples of each length, in turns. Short samples are repeated for 40 ms.',
      `If the time for 100 kB is more than ${maxGrowth} times the time for 50 kB, the family is measured again in new processes, up to ${maxRepeats} times. The smallest growth counts.`,
      `If 100 kB take less than ${negligible} ms, the growth is ignored, because it is noise.`,
    ],
    goals: [
      {
        what: 'Pathological texts of 100 kB: time of the slowest family',
        goal: `< 1 s, ≥ ${minFamilies} families`,
        measured: `${worst.ms.toFixed(0)} ms (${worst.name}), ${results.length} families`,
        passed: worst.ms < maxTime && results.length >= minFamilies,
      },
      {
        what: 'Pathological texts: largest growth of time from 50 kB to 100 kB',
        goal: `≤ ${maxGrowth}×`,
        measured: `${steep.growth.toFixed(2)}× (${steep.name})`,
        passed: steep.growth <= maxGrowth,
      },
    ],
    details: {
      columns: ['slowest', 'ms for 100 kB', 'largest growth', '100 kB / 50 kB', 'ms for 100 kB'],
      rows: slowest.slice(0, shown).map(({ name, ms }, index) => {
        const other = steepest[index] ?? steep
        return [name, ms.toFixed(0), other.name, `${other.growth.toFixed(2)}×`, other.ms.toFixed(0)]
      }),
    },
  }
}

type HostileIsolate = Isolate<typeof import('./hostile.isolate.ts')>

async function measureAll(samples: number): Promise<Result[]> {
  let isolate = await start()
  const results: Result[] = []
  for (const name of await isolate.call('names')) {
    const result = await within(deadline, measure(isolate, name, samples))
    results.push(result ?? { name, ms: Number.POSITIVE_INFINITY, growth: Number.POSITIVE_INFINITY })
    if (result !== null) continue
    isolate.stop()
    isolate = await start()
  }
  isolate.stop()
  const final: Result[] = []
  for (const result of results) final.push(await measureAgain(result, samples))
  return final
}

/**
 * If a family misses the goal, measures the family again, each time in a new process. Returns the
 * result with the smallest growth.
 */
async function measureAgain(first: Result, samples: number): Promise<Result> {
  let best = first
  for (
    let repeat = 0;
    repeat < maxRepeats && isTooSteep(best) && Number.isFinite(best.ms);
    repeat++
  ) {
    const isolate = await start()
    const result = await within(deadline, measure(isolate, best.name, samples))
    isolate.stop()
    if (result !== null && result.growth < best.growth) best = result
  }
  return best
}

function isTooSteep({ ms, growth }: Result): boolean {
  return ms >= negligible && growth > maxGrowth
}

async function start(): Promise<HostileIsolate> {
  const isolate: HostileIsolate = new Isolate(new URL('./hostile.isolate.ts', import.meta.url))
  await isolate.call('prepare')
  return isolate
}

async function measure(isolate: HostileIsolate, name: string, samples: number): Promise<Result> {
  const [short, long] = await isolate.call('measure', name, half, full, samples)
  return { name, ms: long, growth: long / short }
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), ms)
  work.catch(() => {}) // After a timeout, the process is ended. Its late error does not matter.
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
