import { MarkdownRenderer, type MarkdownRendererOptions } from '../../rendering/markdown-renderer.ts'

export interface RenderedBlock {
  readonly html: string
  readonly line: number
}
export interface RenderPatch {
  readonly start: number
  readonly removed: number
  readonly blocks: readonly RenderedBlock[]
  readonly lineShift: number
}
export class IncrementalRenderer {
  readonly #renderer: MarkdownRenderer
  #html: string | null = null
  constructor(options: MarkdownRendererOptions = {}) {
    this.#renderer = new MarkdownRenderer(options)
  }
  update(markdown: string): RenderPatch {
    const removed = this.#html === null ? 0 : 1
    this.#html = this.#renderer.render(markdown)
    return { start: 0, removed, blocks: [{ html: this.#html, line: 0 }], lineShift: 0 }
  }
  get html(): string {
    return this.#html ?? ''
  }
}
