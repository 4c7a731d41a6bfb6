import { parentPort, workerData } from 'node:worker_threads'
import { findProblems, watchedRenderer } from '../find-problems.ts'
import { createFuzzer } from './fuzzer.ts'

/** The index `to` is not included. */
export interface Batch {
  readonly from: number
  readonly to: number
}

export interface BatchResult {
  /** The index of the first dangerous document, or null. */
  readonly failed: number | null
}

const { seed } = workerData as { seed: number }
const fuzz = createFuzzer(seed)
const renderer = watchedRenderer()

parentPort?.on('message', ({ from, to }: Batch) => {
  let failed: number | null = null
  for (let index = from; index < to && failed === null; index++) {
    if (findProblems(fuzz(index), renderer).length > 0) failed = index
  }
  parentPort?.postMessage({ failed } satisfies BatchResult)
})
