import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { IncrementalRenderer, MarkdownRenderer, type RenderedBlock } from '../../src/index.ts'
import { applyEdit, documents, edits } from './changing-documents.ts'

const options = { markdownIt: MarkdownIt }
const whole = new MarkdownRenderer(options)

/**
 * Checks an incremental renderer after every edit of a text. Its HTML must equal a full render, and
 * its patches must produce that HTML.
 */
export const incrementalProperty: fc.IProperty<[string, Parameters<typeof applyEdit>[1][]]> =
  fc.property(documents, edits, (start, changes) => {
    const incremental = new IncrementalRenderer(options)
    let shown: RenderedBlock[] = []
    let text = start
    for (const change of [null, ...changes]) {
      if (change !== null) text = applyEdit(text, change)
      const patch = incremental.update(text)
      const after = shown.slice(patch.start + patch.removed).map(({ html, line }) => {
        return { html, line: line + patch.lineShift }
      })
      shown = [...shown.slice(0, patch.start), ...patch.blocks, ...after]
      expectSame(incremental.html, whole.render(text), 'the HTML')
      expectSame(
        shown
          .map(({ html }) => html)
          .join('')
          .trim(),
        incremental.html,
        'the patches',
      )
      expectSame(shown, new IncrementalRenderer(options).update(text).blocks, 'the blocks')
    }
  })

function expectSame(got: unknown, expected: unknown, what: string): void {
  const [some, other] = [JSON.stringify(got), JSON.stringify(expected)]
  if (some !== other) throw new Error(`${what}: ${some} instead of ${other}`)
}
