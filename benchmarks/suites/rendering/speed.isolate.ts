import { type CorpusDocument, readDocuments } from '../../corpus/documents.ts'
import { cpuTime } from '../../lib/cpu-time.ts'
import { createRenderer, type Render } from './renderers.ts'

let render: Render
let documents: readonly CorpusDocument[]

export async function prepare(name: string): Promise<void> {
  render = await createRenderer(name)
  documents = readDocuments()
}

/** Renders the whole corpus a number of times, and returns the CPU time in ms. */
export function time(repeats: number): number {
  return cpuTime(() => {
    for (let round = 0; round < repeats; round++) {
      for (const { text } of documents) render(text)
    }
  })
}

export function renderText(markdown: string): string {
  return render(markdown)
}
