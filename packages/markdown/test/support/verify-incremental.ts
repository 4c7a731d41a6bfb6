import fc from 'fast-check'
import { incrementalProperty } from './incremental-property.ts'

const batchSize = 1000

/**
 * Applies up to 12 edits to each of many documents (`npm run verify:long -- incremental`). The same
 * seed gives the same documents and edits.
 */
export async function run({ count, seed }: { count: number; seed: number }): Promise<boolean> {
  console.log(`incremental: ${count} documents, seed ${seed}`)
  for (let done = 0; done < count; done += batchSize) {
    const numRuns = Math.min(batchSize, count - done)
    const details = fc.check(incrementalProperty, { seed: (seed + done) | 0, numRuns })
    if (details.failed) {
      console.log(`incremental: FAILED: ${fc.defaultReportMessage(details)}`)
      return false
    }
    if ((done / batchSize) % 10 === 9) console.log(`incremental: ${done + numRuns} documents`)
  }
  return true
}
