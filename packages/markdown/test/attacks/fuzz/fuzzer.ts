import { assembleCorpus } from '../corpus.ts'
import { readPayloads } from '../payloads.ts'
import { randomMarkdown } from './grammar.ts'
import { mutate } from './mutate.ts'
import { Random } from './random.ts'

/** The same index returns the same document in every run. */
export type Fuzzer = (index: number) => string

// The corpus contains very long documents, which would make each mutation slow.
const longestToMutate = 1500

/** Creates a source of any number of hostile documents. `seed` is an integer. */
export function createFuzzer(seed: number): Fuzzer {
  const corpus = assembleCorpus()
    .map(({ markdown }) => markdown)
    .filter(({ length }) => length <= longestToMutate)
  const fragments = readPayloads('fragments')
  return (index) => {
    const random = new Random(seed, index)
    const dice = random.fraction()
    if (dice < 0.5) return randomMarkdown(random)
    if (dice < 0.9) return mutate(random.pick(corpus), random, corpus)
    if (dice < 0.95) return mutate(randomMarkdown(random), random, corpus)
    return random.repeat(1, 40, () => random.pick(fragments))
  }
}
