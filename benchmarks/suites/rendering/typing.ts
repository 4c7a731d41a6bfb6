import { Isolate } from '../../lib/isolate.ts'
import type { Part } from '../../lib/report.ts'
import { type Spread, spreadOf } from '../../lib/statistics.ts'

const lengths: readonly number[] = [10_000, 100_000, 250_000]
const places: ReadonlyMap<string, number> = new Map([
  ['start', 0],
  ['middle', 0.5],
  ['end', 1],
])
// Splitting a text into blocks costs a little per line, so "flat" has some room.
const maxGrowth = 2.5

interface Result {
  readonly length: number
  readonly place: string
  readonly key: Spread
  readonly whole: Spread
}

/** What a key costs in the preview, in texts of different lengths. */
export const typing: Part = async ({ quick }) => {
  const results = await measureAll(quick ? 5 : 15)
  const slowest = (length: number): number =>
    Math.max(...results.filter((result) => result.length === length).map(({ key }) => key.median))
  const [short = 0, , long = 0] = lengths
  const growth = slowest(long) / slowest(short)
  return {
    title: 'A key in the preview: IncrementalRenderer.update against a full render',
    notes: ['An article, a word typed and taken back at the end of a paragraph; CPU time, warm; median (quartiles).'],
    goals: [
      {
        what: `A key costs what its block costs: at ${long / 1000} kB against ${short / 1000} kB, the slowest place`,
        goal: `≤ ${maxGrowth}×`,
        measured: `${growth.toFixed(2)}× (${slowest(short).toFixed(2)} and ${slowest(long).toFixed(2)} ms)`,
        passed: growth <= maxGrowth,
      },
    ],
    details: {
      columns: ['text', 'caret at', 'ms per key', 'ms per full render', 'full / key'],
      rows: results.map(({ length, place, key, whole }) => [
        `${length / 1000} kB`,
        place,
        show(key),
        show(whole),
        `${(whole.median / key.median).toFixed(0)}×`,
      ]),
    },
  }
}

async function measureAll(samples: number): Promise<Result[]> {
  const results: Result[] = []
  for (const length of lengths) {
    for (const [place, part] of places) results.push({ length, place, ...(await measure(length, part, samples)) })
  }
  return results
}

async function measure(length: number, place: number, samples: number): Promise<{ key: Spread; whole: Spread }> {
  const isolate = new Isolate<typeof import('./typing.isolate.ts')>(new URL('./typing.isolate.ts', import.meta.url))
  try {
    await isolate.call('prepare', length, place)
    const [keys, wholes]: [number[], number[]] = [[], []]
    for (let sample = -5; sample < samples; sample++) {
      const [key, whole] = [await isolate.call('timeKeys'), await isolate.call('timeWhole')]
      if (sample < 0) continue // Warming up.
      keys.push(key)
      wholes.push(whole)
    }
    return { key: spreadOf(keys), whole: spreadOf(wholes) }
  } finally {
    isolate.stop()
  }
}

function show({ median, low, high }: Spread): string {
  return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
}
