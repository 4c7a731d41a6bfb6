import { families } from '../../../packages/markdown/test/support/pathological.ts'
import { cpuTime, threadTime } from '../../lib/cpu-time.ts'
import { createRenderer, oursHighlighting, type Render } from './renderers.ts'

// Milliseconds. A shorter run is repeated until it takes this long. A single short run would
// measure only the compiler and the garbage collector.
const shortest = 40

let render: Render

/** Creates the renderer and warms it up with a short text of each family. */
export async function prepare(): Promise<void> {
  render = await createRenderer(oursHighlighting)
  for (const family of families.values()) render(family(2_000))
}

export function names(): string[] {
  return [...families.keys()]
}

/**
 * Renders a text of a family at two lengths in turns, several times.
 *
 * @returns the shortest time of one rendering at each length, in ms. Disturbances only make a
 * rendering longer.
 */
export function measure(
  name: string,
  short: number,
  long: number,
  samples: number,
): [short: number, long: number] {
  const family = families.get(name)
  if (family === undefined) throw new RangeError(`There is no family "${name}".`)
  const texts = [family(short), family(long)] as const
  const repeats = texts.map((text) => Math.max(1, Math.ceil(shortest / Math.max(0.01, once(text)))))
  const best: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let sample = 0; sample < samples; sample++) {
    for (const index of [0, 1] as const) {
      const count = repeats[index] ?? 1
      const ms = threadTime(() => {
        for (let repeat = 0; repeat < count; repeat++) render(texts[index])
      })
      best[index] = Math.min(best[index], ms / count)
    }
  }
  return best
}

// Measures the CPU time of the whole process, because the time of one thread is accurate only to a
// few milliseconds.
function once(text: string): number {
  return cpuTime(() => {
    render(text)
  })
}
