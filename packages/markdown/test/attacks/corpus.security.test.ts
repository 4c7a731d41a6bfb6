import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../../src/index.ts'
import { assembleCorpus } from './corpus.ts'
import { createProblemFinder, watchedRenderer } from './find-problems.ts'

const corpus = assembleCorpus()
const renderer = watchedRenderer()
const findProblems = createProblemFinder(renderer)

function findHarmful(judge: (markdown: string, index: number) => string[]): unknown[] {
  const harmful: unknown[] = []
  for (const [index, { id, markdown }] of corpus.entries()) {
    const problems = judge(markdown, index)
    if (problems.length > 0) harmful.push({ id, markdown: markdown.slice(0, 500), problems })
    if (harmful.length === 5) break
  }
  return harmful
}

describe('attack corpus', () => {
  it('contains more than 60,000 unique documents', () => {
    expect(corpus.length).toBeGreaterThan(60_000)
    expect(new Set(corpus.map(({ markdown }) => markdown)).size).toBe(corpus.length)
    expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length)
  })

  it('becomes harmless HTML', { timeout: 300_000 }, () => {
    expect(findHarmful(findProblems)).toEqual([])
  })

  it('remains harmless when the HTML is rendered again', { timeout: 300_000 }, () => {
    expect(
      findHarmful((markdown, index) =>
        index % 5 === 0 ? findProblems(renderer.render(markdown)) : [],
      ),
    ).toEqual([])
  })

  it('becomes text if there is no markdown-it', { timeout: 300_000 }, () => {
    const plain = new DefaultRenderer({ markdownIt: null })
    expect(
      findHarmful((markdown) => (/<(?!br>)/.test(plain.render(markdown)) ? ['a tag'] : [])),
    ).toEqual([])
  })
})
