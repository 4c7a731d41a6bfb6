import { Isolate } from '../../lib/isolate.ts'
import type { Part } from '../../lib/report.ts'
import { type Spread, spreadOf } from '../../lib/statistics.ts'

const lengths: readonly number[] = [10_000, 100_000, 250_000]
const places: ReadonlyMap<string, number> = new Map([
  ['start', 0],
  ['middle', 0.5],
  ['end', 1],
])
// The maximum time of a keystroke in the longest text, in ms. A keystroke renders its block and
// searches for unchanged blocks. The search takes slightly longer in longer texts.
const maxKey = 2
const maxShare = 1 / 20

interface Result {
  readonly length: number
  readonly place: string
  readonly key: Spread
  readonly whole: Spread
}

/** Measures the cost of a keystroke in the preview, in texts of different lengths. */
export const typing: Part = async ({ quick }) => {
  const results = await measureAll(quick ? 5 : 15)
  const slowest = lengths.map((length) =>
    Math.max(...results.filter((result) => result.length === length).map(({ key }) => key.median)),
  )
  const longest = Math.max(...lengths)
  const ofLongest = results.filter(({ length }) => length === longest)
  const key = Math.max(...ofLongest.map((result) => result.key.median))
  const share = Math.max(...ofLongest.map((result) => result.key.median / result.whole.median))
  return {
    title: 'A keystroke in the preview: IncrementalRenderer.update compared with a full rendering',
    notes: [
      'A word is typed and removed at the end of a paragraph of an article. CPU time with compiled code. Medians (quartiles).',
    ],
    goals: [
      {
        what: `A keystroke renders only its block: slowest place in ${longest / 1000} kB`,
        goal: `≤ ${maxKey} ms and ≤ 1/${1 / maxShare} of a full rendering`,
        measured:
          `${key.toFixed(2)} ms, 1/${Math.floor(1 / share)} (in ${lengths.map((length) => length / 1000).join(', ')} kB: ` +
          `${slowest.map((ms) => ms.toFixed(2)).join(', ')} ms)`,
        passed: key <= maxKey && share <= maxShare,
      },
    ],
    details: {
      columns: [
        'text',
        'caret at',
        'ms per keystroke',
        'ms per full rendering',
        'full / keystroke',
      ],
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
    for (const [place, part] of places)
      results.push({ length, place, ...(await measure(length, part, samples)) })
  }
  return results
}

async function measure(
  length: number,
  place: number,
  samples: number,
): Promise<{ key: Spread; whole: Spread }> {
  const isolate = new Isolate<typeof import('./typing.isolate.ts')>(
    new URL('./typing.isolate.ts', import.meta.url),
  )
  try {
    await isolate.call('prepare', length, place)
    const [keys, wholes]: [number[], number[]] = [[], []]
    for (let sample = -5; sample < samples; sample++) {
      const [key, whole] = [await isolate.call('timeKeys'), await isolate.call('timeWhole')]
      if (sample < 0) continue // Negative samples only warm up.
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
