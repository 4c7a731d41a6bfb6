import type { MarkdownIt } from 'markdown-it'

/**
 * Reads `x^2^` as `<sup>` and `H~2~O` as `<sub>`. As in Pandoc, spaces in between must be escaped (`^a\ b^`), so that
 * a lone `~` or `^` in a sentence stays what it is; markdown inside is read.
 *
 * @see https://pandoc.org/MANUAL.html#superscripts-and-subscripts
 */
export function addSubAndSup(parser: MarkdownIt): void {
  addRaised(parser, 'sup', '^')
  addRaised(parser, 'sub', '~')
}

function addRaised(parser: MarkdownIt, tag: 'sup' | 'sub', marker: '^' | '~'): void {
  const content = new RegExp(`\\${marker}((?:[^\\s\\\\${marker}]|\\\\.)+)\\${marker}(?!\\${marker})`, 'y')
  parser.inline.ruler.after('emphasis', tag, (state, silent) => {
    const start = state.pos
    if (state.src[start] !== marker) return false
    content.lastIndex = start
    const inner = content.exec(state.src)?.[1]
    const end = start + 1 + (inner?.length ?? 0)
    if (inner === undefined || end >= state.posMax) return false
    if (!silent) {
      const outerEnd = state.posMax
      state.push(`${tag}_open`, tag, 1).markup = marker
      state.pos = start + 1
      state.posMax = end
      parser.inline.tokenize(state)
      state.posMax = outerEnd
      state.push(`${tag}_close`, tag, -1).markup = marker
    }
    state.pos = end + 1
    return true
  })
}
