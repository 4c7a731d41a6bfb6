import { assembleCorpus } from '../corpus.ts'
import { readPayloads } from '../payloads.ts'
import { randomMarkdown } from './grammar.ts'
import { mutate } from './mutate.ts'
import { Random } from './random.ts'

/** Gives the document of a number: the same for the same number in every run. */
export type Fuzzer = (index: number) => string

// Documents of the corpus that are long to exhaust something would slow down each mutation.
const longestToMutate = 1500

/**
 * Makes a source of hostile documents without end: half of them by the grammar of markdown and HTML, the others by
 * changing documents of the corpus or gluing pieces together.
 *
 * @param seed - a whole number; each begins another sequence
 */
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
