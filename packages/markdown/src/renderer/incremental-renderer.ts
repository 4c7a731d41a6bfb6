import { Engine } from '../engine/engine.ts'
import { checkText } from '../engine/source.ts'
import type { Unit } from '../engine/unit.ts'
import type { MarkdownRendererOptions, RenderOptions } from '../options/renderer-options.ts'
import { joinHtml } from './rendered-document.ts'

/**
 * A run of top-level blocks whose HTML is balanced in itself: one block, all that an element of the author's holds, or
 * the section with all footnotes.
 */
export interface RenderedBlock {
  /** '' when the blocks show nothing, as definitions of links do. */
  readonly html: string
  /** Zero-based line of the text at which it begins. */
  readonly line: number
}

/** What an update changed. */
export interface RenderPatch {
  /** Index of the first block that changed. */
  readonly start: number
  /** How many blocks give way there. */
  readonly removed: number
  /** What comes in their place. */
  readonly blocks: readonly RenderedBlock[]
  /** By how many lines the blocks behind them move. */
  readonly lineShift: number
}

/**
 * Renders a text that changes, as that of an editor: an update costs about what the changed blocks cost, and the result
 * is the same as if the whole text had been rendered.
 *
 * Some texts are one block where they look like many: all that an element of the author's holds is, and so are all
 * footnotes, which an update of any of them writes again. With plugins of markdown-it each update renders the whole text.
 *
 * @example
 * const preview = new IncrementalRenderer({ markdownIt: MarkdownIt })
 * preview.update('# A\n\nb')    // { start: 0, removed: 0, blocks: [{ html: '<h1 …', line: 0 }, …], lineShift: 2 }
 * preview.update('# A\n\nbc')   // { start: 1, removed: 1, blocks: [{ html: '<p>bc</p>\n', line: 2 }], lineShift: 0 }
 */
export class IncrementalRenderer {
  readonly #render: (markdown: string) => readonly Unit[]
  #units: readonly Unit[] = []

  /** @throws TypeError as `MarkdownRenderer` does */
  constructor(options: MarkdownRendererOptions & RenderOptions = {}) {
    this.#render = new Engine(options).open(options)
  }

  /** The HTML of the whole text, byte for byte what `MarkdownRenderer` gives. */
  get html(): string {
    return joinHtml(this.#units)
  }

  /**
   * Renders a text and says what changed since the last one.
   *
   * @param markdown - any string
   * @throws TypeError when it is not a string, and what functions of the options throw: all is then as it was
   */
  update(markdown: string): RenderPatch {
    const before = this.#units
    const after = this.#render(checkText('update', markdown))
    this.#units = after
    const most = Math.min(before.length, after.length)
    let start = 0
    while (start < most && isSame(before[start], after[start])) start++
    let end = 0
    while (end < most - start && isSame(before.at(-1 - end), after.at(-1 - end))) end++
    return {
      start,
      removed: before.length - end - start,
      blocks: toBlocks(after, start, after.length - end),
      lineShift: linesOf(after) - linesOf(before),
    }
  }
}

function isSame(some: Unit | undefined, other: Unit | undefined): boolean {
  return (
    some === other ||
    (some?.html === other?.html && some?.lines === other?.lines && some?.skipped === other?.skipped)
  )
}

function toBlocks(units: readonly Unit[], start: number, end: number): RenderedBlock[] {
  let line = linesOf(units.slice(0, start))
  return units.slice(start, end).map((unit) => {
    const block = { html: unit.html, line: line + unit.skipped }
    line += unit.lines
    return block
  })
}

function linesOf(units: readonly Unit[]): number {
  return units.reduce((sum, { lines }) => sum + lines, 0)
}
