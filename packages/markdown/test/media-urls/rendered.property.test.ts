import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { urlRuns } from '../../src/media-urls/urls-in-text.ts'
import { DefaultRenderer } from '../../src/node/default-renderer.ts'
import { extractMediaUrls } from '../../src/node/extract-media-urls.ts'
import { extendedMarkdown } from './support/extended-markdown.ts'

const numRuns = Number(process.env['QUILLGATE_PROPERTY_RUNS'] ?? 1000)
const renderer = new DefaultRenderer()

function renderedMedia(html: string): string[] {
  const tags = html.match(/<[a-z][^<>]*>/g) ?? []
  return tags.flatMap((tag) => tag.match(/(?<= (?:src|href|poster)=")\/media\/[^"]*/g) ?? [])
}

describe('the media that rendered HTML loads or links to', () => {
  it('are all found by the scan that replaces URLs', () => {
    fc.assert(
      fc.property(extendedMarkdown, (markdown) => {
        const found = new Set(Array.from(urlRuns(markdown), ({ raw }) => raw))
        const shown = renderedMedia(renderer.render(markdown))
        expect(shown.filter((url) => !found.has(url))).toEqual([])
      }),
      { numRuns },
    )
  })

  it('are all extracted, except the links of HTML', () => {
    fc.assert(
      fc.property(extendedMarkdown, (markdown) => {
        const found = extractMediaUrls(markdown)
        const shown = renderedMedia(renderer.render(markdown.replaceAll('<a href', '<b href')))
        expect(shown.filter((url) => !found.has(url))).toEqual([])
      }),
      { numRuns },
    )
  })
})
