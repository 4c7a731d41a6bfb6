import { describe, expect, it } from 'vitest'
import { createProblemFinder, findProblems, watchedRenderer } from './find-problems.ts'
import { createFuzzer } from './fuzz/fuzzer.ts'
import { shrink } from './fuzz/shrink.ts'

// `npm run verify:long` tests a million documents, with a new seed each time.
const seed = 20_261_122
const documents = 20_000

describe('fuzzed documents', () => {
  it(`become harmless HTML: ${documents} of seed ${seed}`, { timeout: 300_000 }, () => {
    const fuzz = createFuzzer(seed)
    const renderer = watchedRenderer()
    const find = createProblemFinder(renderer)
    for (let index = 0; index < documents; index++) {
      const markdown = fuzz(index)
      if (find(markdown).length === 0) continue
      const shortest = shrink(markdown, (candidate) => findProblems(candidate, renderer).length > 0)
      expect.fail(
        `${index}: ${JSON.stringify(shortest)} gives ${findProblems(shortest, renderer).join(', ')}`,
      )
    }
  })

  it('are deterministic for a seed, and differ between seeds', () => {
    const [first, same, other] = [createFuzzer(1), createFuzzer(1), createFuzzer(2)]
    const take = (fuzz: (index: number) => string) =>
      Array.from({ length: 200 }, (_, index) => fuzz(index))
    expect(take(first)).toEqual(take(same))
    expect(take(first).filter((markdown, index) => markdown === other(index)).length).toBeLessThan(
      10,
    )
    expect(first(123)).toBe(same(123))
  })

  it('cover every element that can be rendered', () => {
    const fuzz = createFuzzer(1)
    const renderer = watchedRenderer()
    const names = new Set<string>()
    for (let index = 0; index < 3000; index++) {
      for (const [, name = ''] of renderer.render(fuzz(index)).matchAll(/<([a-z]\w*)/g))
        names.add(name)
    }
    const expected =
      'a b blockquote br code dd details div dl dt em h1 hr i iframe img input li mark ol p pre section source span strong sub ' +
      'summary sup table td th tr ul video'
    expect(expected.split(' ').filter((name) => !names.has(name))).toEqual([])
  })
})

describe('shrink', () => {
  it('keeps only the part that makes a text fail', () => {
    const text = `${'a'.repeat(500)}<b${'c'.repeat(300)}>${'d'.repeat(200)}`
    expect(shrink(text, (candidate) => /<b.*>/.test(candidate))).toBe('<b>')
  })

  it('returns a failing text unchanged if nothing can be removed', () => {
    expect(shrink('ab', (candidate) => candidate === 'ab')).toBe('ab')
  })
})
