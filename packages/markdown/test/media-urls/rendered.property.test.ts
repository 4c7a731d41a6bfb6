import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DefaultRenderer } from '../../src/index.ts'
import { findReferences } from '../../src/media-urls/find-references.ts'
import { extendedMarkdown } from './support/extended-markdown.ts'

const numRuns = Number(process.env['QUILLGATE_PROPERTY_RUNS'] ?? 1000)
const renderer = new DefaultRenderer()

/** The media that rendered HTML shows or links to. */
function renderedMedia(html: string): string[] {
  const tags = html.match(/<[a-z][^<>]*>/g) ?? []
  return tags.flatMap((tag) => tag.match(/(?<= (?:src|href|poster)=")\/media\/[^"]*/g) ?? [])
}

it('findReferences finds all media that the renderer shows or links to', () => {
  fc.assert(
    fc.property(extendedMarkdown, (markdown) => {
      const found = new Set(findReferences(markdown).map(({ url }) => url))
      expect(renderedMedia(renderer.render(markdown)).filter((url) => !found.has(url))).toEqual([])
    }),
    { numRuns },
  )
})
