import { Isolate } from '../../lib/isolate.ts'
import type { Part } from '../../lib/report.ts'
import { slopeOf } from '../../lib/statistics.ts'

const renders = 100_000
const points = 20
// Internal tables of Node grow or shrink by some kB. A leak of one short text per hundred
// renderings would be far larger.
const noise = 100_000

/** Measures whether memory grows with the number of renderings. */
export const memory: Part = async ({ quick }) => {
  const step = (quick ? renders / 10 : renders) / points
  const isolate = new Isolate<typeof import('./memory.isolate.ts')>(
    new URL('./memory.isolate.ts', import.meta.url),
  )
  try {
    await isolate.call('prepare')
    const used: [renders: number, bytes: number][] = []
    const warmUp = renders / 5
    await isolate.call('renderAndCollect', 0, warmUp)
    for (let point = 0; point <= points; point++) {
      used.push([point * step, await isolate.call('renderAndCollect', warmUp + point * step, step)])
    }
    const growth = slopeOf(used) * points * step
    return {
      title: `Memory during ${(points * step).toLocaleString('en')} renderings of different texts of 0.6–2.2 kB`,
      notes: [
        `heapUsed after a garbage collection, measured every ${step} renderings. The growth is the slope by Theil–Sen.`,
      ],
      goals: [
        {
          what: `Growth of memory during ${(points * step).toLocaleString('en')} renderings`,
          goal: `none (< ${noise / 1000} kB)`,
          measured: `${(growth / 1000).toFixed(1)} kB`,
          passed: growth < noise,
        },
      ],
      details: {
        columns: ['renderings', 'MB in use'],
        rows: used
          .filter((_, point) => point % 5 === 0)
          .map(([count, bytes]) => [String(count), (bytes / 1e6).toFixed(3)]),
      },
    }
  } finally {
    isolate.stop()
  }
}
