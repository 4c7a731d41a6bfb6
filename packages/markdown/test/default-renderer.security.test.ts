import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DefaultRenderer } from '../src/index.ts'
import { createProblemFinder, findProblems, watchedRenderer } from './attacks/find-problems.ts'
import { judge } from './support/judge.ts'

// The folder `attacks` contains the project's own attacks: a corpus, a fuzzer, and known flaws.

const renderer = watchedRenderer()

// The path of a JSON file with public attack strings, as an array of `{ id, md }`. Their licenses
// do not allow a copy in this repository.
const publicAttacks = process.env['QUILLGATE_XSS_CORPUS']

describe('rendered HTML is safe', () => {
  it('for public attack strings, alone and in markdown', { timeout: 300_000 }, (context) => {
    if (publicAttacks === undefined)
      return context.skip('QUILLGATE_XSS_CORPUS names no file of attack strings')
    const find = createProblemFinder(renderer)
    const attacks = JSON.parse(readFileSync(publicAttacks, 'utf8')) as { id: string; md: string }[]
    expect(attacks.length).toBeGreaterThan(1000)
    for (const { id, md } of attacks) {
      for (const text of [
        md,
        `a ${md} b`,
        `> - ${md}`,
        `<div>${md}`,
        `[a](${md})`,
        `[a]: <${md}>\n\n![a]`,
        `| a |\n|-|\n| ${md} |`,
      ]) {
        expect(find(text), id).toEqual([])
      }
    }
  })

  it('for any characters', { timeout: 60_000 }, () => {
    const syntax = fc.string({
      unit: fc.constantFrom(...'<>&"\'`=/\\[]()!*_~^#-|:. \n\tax1\0\ud800'),
      maxLength: 60,
    })
    const plain = new DefaultRenderer({ markdownIt: null })
    fc.assert(
      fc.property(fc.oneof(syntax, fc.string({ unit: 'binary' })), (text) => {
        expect(findProblems(text, renderer)).toEqual([])
        expect(judge(plain.render(text).replaceAll('&#39;', "'"))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
