import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findReferences } from '../../src/media-urls/find-references.ts'
import { rewriteUrls } from '../../src/media-urls/rewrite-urls.ts'
import { markdownItReferences } from './support/markdown-it-references.ts'
import { nastyMarkdown } from './support/nasty-markdown.ts'

const numRuns = Number(process.env['QUILLGATE_PROPERTY_RUNS'] ?? 500)

describe('findReferences', () => {
  it('finds what markdown-it finds', () => {
    fc.assert(
      fc.property(nastyMarkdown, (markdown) => {
        const found = findReferences(markdown).filter(({ kind }) => kind !== 'bare')
        expect(new Set(found.map(({ url }) => url))).toEqual(markdownItReferences(markdown))
      }),
      { numRuns },
    )
  })

  it('says where each URL stands, in order and apart', () => {
    fc.assert(
      fc.property(
        fc.oneof(nastyMarkdown, fc.string({ unit: 'binary', maxLength: 60 })),
        (markdown) => {
          let last = 0
          for (const { start, end, raw } of findReferences(markdown)) {
            expect(start).toBeGreaterThanOrEqual(last)
            expect(end).toBeGreaterThan(start)
            expect(markdown.slice(start, end)).toBe(raw)
            last = end
          }
        },
      ),
      { numRuns },
    )
  })
})

describe('rewriteUrls', () => {
  it('changes nothing when each URL becomes itself', () => {
    fc.assert(
      fc.property(nastyMarkdown, (markdown) => {
        const references = findReferences(markdown)
        const itself = new Map(
          references.flatMap(({ url, raw }) => [[url, url] as const, [raw, raw] as const]),
        )
        expect(rewriteUrls(markdown, itself)).toBe(markdown)
      }),
      { numRuns },
    )
  })

  it('is undone by the reverse replacements', () => {
    fc.assert(
      fc.property(nastyMarkdown, (markdown) => {
        const spellings = [...new Set(findReferences(markdown).map(({ raw }) => raw))].filter(
          (raw) => /^\/u\d+$/.test(raw),
        )
        const there = new Map(spellings.map((raw) => [raw, `/media/new${raw}.png`]))
        const back = new Map([...there].map(([raw, changed]) => [changed, raw]))
        const rewritten = rewriteUrls(markdown, there)
        expect(rewriteUrls(rewritten, back)).toBe(markdown)
        expect(findReferences(rewritten).map(({ raw }) => back.get(raw) ?? raw)).toEqual(
          findReferences(markdown).map(({ raw }) => raw),
        )
      }),
      { numRuns },
    )
  })
})
