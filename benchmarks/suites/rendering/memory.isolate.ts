import { articleMixture, commentMixture, generate } from '../../corpus/generated.ts'
import { createRenderer, oursHighlighting, type Render } from './renderers.ts'

let render: Render
let texts: string[]

/** Prepares different short texts, like those that a server renders. */
export async function prepare(): Promise<void> {
  render = await createRenderer(oursHighlighting)
  texts = Array.from({ length: 500 }, (_, seed) =>
    generate(seed, 600 + (seed % 9) * 200, mixtures[seed % 2] ?? {}),
  )
}

const mixtures = [commentMixture, articleMixture]

/** Renders texts one after the other. Returns the bytes in use after a garbage collection. */
export function renderAndCollect(first: number, count: number): number {
  // Each text is different, so that a cache of texts would make the memory grow.
  for (let index = first; index < first + count; index++)
    render(`${index}\n\n${texts[index % texts.length]}`)
  globalThis.gc?.()
  globalThis.gc?.() // Frees objects whose finalizers ran in the first collection.
  return process.memoryUsage().heapUsed
}
