import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { useTestSite } from '../support/test-site.ts'

interface WithRanges {
  createValueRange(start: number, end: number): Range
}

type Rect = readonly [left: number, top: number]

const SOURCE = fileURLToPath(new URL('../../src/dom/textarea-geometry.ts', import.meta.url))

describe('the position of a character in a textarea', () => {
  const site = useTestSite()
  let code = ''

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [SOURCE],
      bundle: true,
      format: 'iife',
      globalName: 'measured',
      write: false,
    })
    code = outputFiles[0]?.text ?? ''
  })

  it('is the same by the ranges of the browser and by a copy, even with soft wraps, and null if not visible', async () => {
    const words = Array.from(
      { length: 300 },
      (_, index) => `word${index}${index % 7 === 0 ? '\n' : ' '}`,
    ).join('')
    const { page } = await site.open(
      { fields: { body: `${words}\n\tend` } },
      { viewport: { width: 420, height: 700 } },
    )
    const rects = await page.evaluate(
      ({ script, offsets }) => {
        const { rectInTextarea } = new Function(`${script}; return measured`)() as {
          rectInTextarea(textarea: HTMLTextAreaElement, offset: number): DOMRect | null
        }
        const textarea = document.querySelector('textarea') as HTMLTextAreaElement
        const measure = (): (Rect | null)[] =>
          offsets.map((offset) => {
            const rect = rectInTextarea(textarea, offset)
            return rect === null ? null : [Math.round(rect.left), Math.round(rect.top)]
          })
        const byRanges = offsets.slice(0, 4).map((offset): Rect => {
          // See https://developer.mozilla.org/docs/Web/API/OpaqueRange
          const rect = (textarea as unknown as WithRanges)
            .createValueRange(offset, offset + 1)
            .getBoundingClientRect()
          return [Math.round(rect.left), Math.round(rect.top)]
        })
        const byCopy = measure()
        textarea.scrollTop = 100
        const scrolled = measure()
        return { byRanges, byCopy, scrolled, left: document.body.lastElementChild?.tagName }
      },
      { script: code, offsets: [0, 5, 40, 100, 200, words.length] },
    )
    expect(rects.byCopy.slice(0, 4)).not.toContain(null)
    expect(rects.byCopy.at(-1)).toBe(null)
    for (const [index, rect] of rects.byRanges.entries()) {
      const copied = rects.byCopy[index]
      for (const side of [0, 1] as const) {
        expect(Math.abs((copied?.[side] ?? -1) - rect[side])).toBeLessThanOrEqual(3)
      }
    }
    expect(rects.scrolled[0]).toBe(null)
    expect(rects.byCopy[4]?.[1]).toBe((rects.scrolled[4]?.[1] ?? 0) + 100)
    expect(rects.left).toBe('FORM')
  })
})
