import { Isolate } from '../../lib/isolate.ts'
import type { Part } from '../../lib/report.ts'

const [half, full] = [50_000, 100_000]
const maxTime = 1000
const maxGrowth = 2.5
const minFamilies = 40
// The compiler may recompile between two samples, and other programs disturb. A family that is not
// linear is steep each time.
const maxRepeats = 5
// Milliseconds. Below this time for 100 kB, growth is mostly noise of the compiler and garbage
// collector, and does not count.
const negligible = 5
// A family that takes this long, in ms for all samples, is stopped, because it is not linear.
const deadline = 60_000
const shown = 8

interface Result {
  readonly name: string
  readonly ms: number
  /** The time at 100 kB divided by the time at 50 kB. */
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
      'CPU time of the main thread, which a text blocks; best of several samples at each length in turns; short ones are repeated to 40 ms.',
      `Where time at 100 kB is more than ${maxGrowth} times that at 50 kB, the family is measured again alone, in new processes, up to ${maxRepeats} times; the least counts.`,
      `Growth counts from ${negligible} ms at 100 kB on: what takes less is noise, and no danger.`,
    ],
    goals: [
      {
        what: 'Families of pathological texts, 100 kB each: the slowest',
        goal: `< 1 s, ≥ ${minFamilies} families`,
        measured: `${worst.ms.toFixed(0)} ms (${worst.name}), ${results.length} families`,
        passed: worst.ms < maxTime && results.length >= minFamilies,
      },
      {
        what: 'The same: time at 100 kB against time at 50 kB, the steepest',
        goal: `≤ ${maxGrowth}×`,
        measured: `${steep.growth.toFixed(2)}× (${steep.name})`,
        passed: steep.growth <= maxGrowth,
      },
    ],
    details: {
      columns: ['slowest', 'ms at 100 kB', 'steepest', '100 kB / 50 kB', 'ms at 100 kB'],
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

/** Measures a family that missed the goal again, alone. @returns the smallest growth */
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
  work.catch(() => {}) // A late error does not matter, because the process was ended.
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
