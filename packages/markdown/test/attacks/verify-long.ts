import { Worker } from 'node:worker_threads'
import type { DefaultRenderer } from '../../src/index.ts'
import { assembleCorpus } from './corpus.ts'
import { createProblemFinder, findProblems, watchedRenderer } from './find-problems.ts'
import { createFuzzer } from './fuzz/fuzzer.ts'
import { shrink } from './fuzz/shrink.ts'
import type { Batch, BatchResult } from './fuzz/worker.ts'

export interface VerifyLongOptions {
  readonly count: number
  readonly seed: number
  /** The index of the first fuzzed document. */
  readonly from: number
  readonly workers: number
}

const batchSize = 1000
// Milliseconds. A batch that takes longer is an error. Most batches take a few seconds.
const batchTimeout = 120_000
const progressInterval = 10_000

/**
 * Renders and judges the corpus, and then fuzzed documents in parallel workers.
 *
 * @returns true if no document is dangerous
 */
export async function run(options: VerifyLongOptions): Promise<boolean> {
  const { count, seed, from } = options
  const end = from + count
  const renderer = watchedRenderer()
  const corpus = assembleCorpus()
  const find = createProblemFinder(renderer)
  const harmful = corpus.filter(({ markdown }) => find(markdown).length > 0)
  console.log(`rendering: ${corpus.length} documents of the corpus, ${harmful.length} dangerous`)
  for (const { id, markdown } of harmful.slice(0, 10)) print(id, markdown, renderer)

  console.log(`rendering: fuzzing ${count} documents from ${from}, seed ${seed}`)
  const failed = await fuzz(options)
  if (failed !== null) {
    print(`document ${failed} of seed ${seed}`, createFuzzer(seed)(failed), renderer)
    console.log(
      `rendering: go on behind it with --seed=${seed} --from=${failed + 1} --count=${end - failed - 1}`,
    )
    return false
  }
  console.log(`rendering: ${count} fuzzed documents, 0 dangerous`)
  return harmful.length === 0
}

/** Returns the lowest index of a found dangerous document, or null. */
async function fuzz({ count, seed, from, workers }: VerifyLongOptions): Promise<number | null> {
  const end = from + count
  let next = from
  let done = 0
  const running = new Set<number>()
  let failed: number | null = null
  const started = performance.now()
  const report = setInterval(() => {
    const perSecond = Math.round(done / ((performance.now() - started) / 1000))
    const rest = Math.min(next, ...running) // Earlier batches may still be running.
    const resume = `--seed=${seed} --from=${rest} --count=${end - rest}`
    console.log(`rendering: ${done} of ${count}, ${perSecond} a second; go on with ${resume}`)
  }, progressInterval)

  const takeBatch = (): Batch | null => {
    if (failed !== null || next >= end) return null
    const batch = { from: next, to: Math.min(end, next + batchSize) }
    next = batch.to
    running.add(batch.from)
    return batch
  }
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('fuzz/worker.ts', import.meta.url), { workerData: { seed } })
    try {
      for (let batch = takeBatch(); batch !== null; batch = takeBatch()) {
        const result = await answer(worker, batch)
        done += batch.to - batch.from
        running.delete(batch.from)
        if (result.failed !== null)
          failed = failed === null ? result.failed : Math.min(failed, result.failed)
      }
    } finally {
      await worker.terminate()
    }
  }
  try {
    await Promise.all(Array.from({ length: workers }, work))
  } finally {
    clearInterval(report)
  }
  return failed
}

function answer(worker: Worker, batch: Batch): Promise<BatchResult> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`A document from ${batch.from} to ${batch.to - 1} does not end.`))
    }, batchTimeout)
    worker.once('error', reject)
    worker.once('message', (result: BatchResult) => {
      clearTimeout(timer)
      worker.off('error', reject)
      resolve(result)
    })
    worker.postMessage(batch)
  })
}

function print(name: string, markdown: string, renderer: DefaultRenderer): void {
  const shortest = shrink(markdown, (candidate) => findProblems(candidate, renderer).length > 0)
  console.log(`rendering: DANGEROUS: ${name}`)
  console.log(`  shortest form: ${JSON.stringify(shortest)}`)
  for (const problem of findProblems(shortest, renderer)) console.log(`  ${problem}`)
}
