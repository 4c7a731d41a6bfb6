import { Engine } from '../engine/engine.ts'
import { sumOf } from '../engine/parse-blocks.ts'
import type { MarkdownRendererOptions, RenderOptions } from '../engine/renderer-options.ts'
import type { Segment } from '../engine/segment.ts'
import { checkText } from '../engine/source.ts'
import { joinHtml } from './rendered-document.ts'

/** Either one block, or all blocks inside one HTML element, or the section of footnotes. */
export interface RenderedBlock {
  /** The HTML. Some blocks, such as link definitions, have the HTML `''`. */
  readonly html: string
  /** The zero-based line of the text at which the first block begins. */
  readonly line: number
}

/** The changes of an update: from the index `start`, `removed` blocks are replaced by `blocks`. */
export interface RenderPatch {
  readonly start: number
  readonly removed: number
  readonly blocks: readonly RenderedBlock[]
  /** The number of lines by which later blocks move down. It is negative if they move up. */
  readonly lineShift: number
}

/**
 * Renders a text that changes, such as the text of an editor. An update renders only the changed
 * blocks, but the result is the same as after a full render.
 *
 * @example
 * const preview = new IncrementalRenderer({ markdownIt: MarkdownIt })
 * preview.update('# A\n\nb')
 * // { start: 0, removed: 0, blocks: [{ html: '<h1 …', line: 0 }, …], lineShift: 2 }
 * preview.update('# A\n\nbc')
 * // { start: 1, removed: 1, blocks: [{ html: '<p>bc</p>\n', line: 2 }], lineShift: 0 }
 */
export class IncrementalRenderer {
  readonly #render: (markdown: string) => readonly Segment[]
  #segments: readonly Segment[] = []

  /** @throws TypeError that names the invalid option, or the unsafe entry of the policy */
  constructor(options: MarkdownRendererOptions & RenderOptions = {}) {
    this.#render = new Engine(options).open(options)
  }

  /** The HTML of the whole text. It is exactly the HTML that `MarkdownRenderer` returns. */
  get html(): string {
    return joinHtml(this.#segments)
  }

  /**
   * Renders a text and returns the changes since the previous text. If rendering throws an error,
   * the state is unchanged.
   *
   * @throws the same errors as `MarkdownRenderer.render`
   */
  update(markdown: string): RenderPatch {
    const before = this.#segments
    const after = this.#render(checkText('update', markdown))
    this.#segments = after
    const most = Math.min(before.length, after.length)
    let start = 0
    while (start < most && isSame(before[start], after[start])) start++
    let end = 0
    while (end < most - start && isSame(before.at(-1 - end), after.at(-1 - end))) end++
    return {
      start,
      removed: before.length - end - start,
      blocks: toBlocks(after, start, after.length - end),
      lineShift: sumOf(after, 'lines') - sumOf(before, 'lines'),
    }
  }
}

function isSame(some: Segment | undefined, other: Segment | undefined): boolean {
  return (
    some === other ||
    (some?.html === other?.html && some?.lines === other?.lines && some?.skipped === other?.skipped)
  )
}

function toBlocks(segments: readonly Segment[], start: number, end: number): RenderedBlock[] {
  let line = sumOf(segments.slice(0, start), 'lines')
  return segments.slice(start, end).map((segment) => {
    const block = { html: segment.html, line: line + segment.skipped }
    line += segment.lines
    return block
  })
}
