import type { Token } from 'markdown-it'
import { holdsText } from '../grammar/html-elements.ts'
import { type Tag, tagAt } from '../grammar/scan-html.ts'

/**
 * The author's tags in one block, in order, for what is dropped with its content: scripts, styles and their like.
 */
export class AuthorRun {
  readonly #tags: readonly (Tag | null)[]
  #lastEnds: Map<string, number> | null = null

  /** @param tags - what each piece of the block is; null for all that is no tag of the author's */
  constructor(tags: readonly (Tag | null)[]) {
    this.#tags = tags
  }

  /**
   * The index up to which pieces go with the tag at an index: that of its end tag in the same block. The index itself,
   * when it is dropped alone.
   */
  dropsTo(index: number): number {
    const tag = this.#tags[index]
    if (tag == null || tag.isEnd || !holdsText(tag.name)) return index
    this.#lastEnds ??= findLastEnds(this.#tags)
    if ((this.#lastEnds.get(tag.name) ?? -1) < index) return index
    let end = index + 1
    while (!isEndOf(this.#tags[end], tag.name)) end++
    return end
  }
}

/**
 * The author's tag that an inline token holds. Raw HTML within a line is one whole tag, or something that is left out:
 * a comment or a declaration.
 */
export function authorTagOf({ type, content }: Token): Tag | null {
  return type === 'html_inline' ? tagAt(content, 0) : null
}

function isEndOf(tag: Tag | null | undefined, name: string): boolean {
  return tag?.isEnd === true && tag.name === name
}

function findLastEnds(tags: readonly (Tag | null)[]): Map<string, number> {
  const ends = new Map<string, number>()
  tags.forEach((tag, index) => {
    if (tag?.isEnd) ends.set(tag.name, index)
  })
  return ends
}
