import type { MarkdownIt, StateInline } from 'markdown-it'

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
    if (state.src[state.pos] !== marker) return false
    content.lastIndex = state.pos
    const inner = content.exec(state.src)?.[1]
    if (inner === undefined || content.lastIndex > state.posMax || leavesBracket(inner)) return false
    const end = content.lastIndex
    if (!silent) {
      state.push(`${tag}_open`, tag, 1).markup = marker
      readInner(state, state.pos + 1, end - 1)
      state.push(`${tag}_close`, tag, -1).markup = marker
    }
    state.pos = end
    return true
  })
}

// The two markers in `[~ada](/~ada)` belong to a link, not to each other.
function leavesBracket(inner: string): boolean {
  let depth = 0
  for (const character of inner) {
    if (character === '[') depth++
    if (character === ']' && --depth < 0) return true
  }
  return depth !== 0
}

function readInner(state: StateInline, start: number, end: number): void {
  const { posMax } = state
  const first = state.tokens.length
  state.pos = start
  state.posMax = end
  state.md.inline.tokenize(state)
  state.posMax = posMax
  for (const token of state.tokens.slice(first)) {
    // A backslash before a space: markdown-it keeps it, since it escapes nothing elsewhere.
    if (token.type === 'text_special' && token.markup === '\\') token.content = ''
  }
}
