import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import {
  IncrementalRenderer,
  MarkdownRenderer,
  type MarkdownRendererOptions,
} from '../src/index.ts'

describe('update', () => {
  it.each([
    [5, 'number'],
    [null, 'null'],
    [undefined, 'undefined'],
    [{}, 'object'],
  ])('rejects %o and keeps its state', (value, type) => {
    const preview = new IncrementalRenderer({ markdownIt: MarkdownIt })
    preview.update('a')
    expect(() => preview.update(value as unknown as string)).toThrow(
      new TypeError(`update: "markdown" must be a string, not ${type}.`),
    )
    expect(preview.html).toBe('<p>a</p>')
  })

  it('counts unchanged footnotes towards the size limit', () => {
    // Long URLs, so that a short text has more HTML than the limit allows.
    const onMedium: MarkdownRendererOptions['onMedium'] = ({ url }) => ({
      url: url.padEnd(3_000_000, 'x'),
    })
    const options = { markdownIt: MarkdownIt, onMedium }
    const preview = new IncrementalRenderer(options)
    preview.update('a[^1]\n\n[^1]: ![](/b)')
    expect(preview.html.length).toBeGreaterThan(3_000_000)
    const text = 'a[^1]\n\n![](/c)\n\n[^1]: ![](/b)'
    preview.update(text)
    expect(preview.html).toBe(new MarkdownRenderer(options).render(text))
    expect(preview.html).toContain('![](/c)')
  })

  it('patches all footnotes as one block', () => {
    const preview = new IncrementalRenderer({ markdownIt: MarkdownIt })
    const text = 'a[^1] b[^2]\n\n[^1]: c\n\n[^2]: d'
    preview.update(text)
    const { start, removed, blocks } = preview.update(`${text}e`)
    expect([start, removed, blocks.length]).toEqual([3, 1, 1])
    expect(blocks[0]?.html).toMatch(/^<section.*<p>c .*<p>de /s)
  })

  it('renders neither the other blocks nor the footnotes again', () => {
    const rendered: string[] = []
    const onMedium = ({ url }: { url: string }) => {
      rendered.push(url)
      return { url }
    }
    const preview = new IncrementalRenderer({ markdownIt: MarkdownIt, onMedium })
    const text = '# A\n\n![](/b)\n\na[^1]\n\n[^1]: ![](/c)'
    preview.update(`typed\n\n${text}`)
    expect(rendered).toEqual(['/b', '/c'])
    preview.update(`typed words\n\n${text}`)
    expect(rendered).toEqual(['/b', '/c'])
  })
})
