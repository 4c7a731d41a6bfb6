import type { MarkdownIt, StateInline } from 'markdown-it'

/**
 * Adds the syntax `x^2^` for `<sup>` and `H~2~O` for `<sub>`. As in Pandoc, spaces inside must be
 * escaped (`^a\ b^`). So a single `~` or `^` in a sentence stays text.
 *
 * @see https://pandoc.org/MANUAL.html#superscripts-and-subscripts
 */
export function addSubAndSup(parser: MarkdownIt): void {
  addRaised(parser, 'sup', '^')
  addRaised(parser, 'sub', '~')
}

function addRaised(parser: MarkdownIt, tag: 'sup' | 'sub', marker: '^' | '~'): void {
  parser.inline.ruler.after('emphasis', tag, (state, silent) => {
    // In silent mode, markdown-it searches for the end of a link, and the rule must not apply. In
    // `[~ada](/~ada)`, the text between the two `~` is not a subscript.
    if (silent || state.src[state.pos] !== marker) return false
    const start = state.pos
    const end = findEnd(state, marker)
    state.pos = start
    if (end === -1) return false
    state.push(`${tag}_open`, tag, 1).markup = marker
    readInner(state, start + 1, end)
    state.push(`${tag}_close`, tag, -1).markup = marker
    state.pos = end + 1
    return true
  })
}

// Finds the closing marker. Ignores markers in code, links and tags. Brackets must be balanced. The
// search ends at the next marker or space, so that all searches together take linear time.
function findEnd(state: StateInline, marker: string): number {
  const { src, posMax } = state
  const contentStart = ++state.pos
  let brackets = 0
  let isEscaped = false
  while (state.pos < posMax && src[state.pos] !== marker) {
    const { pos } = state
    state.md.inline.skipToken(state)
    const token = src.slice(pos, state.pos)
    if (/\s/.test(isEscaped ? token.slice(1) : token)) return -1
    if (token === '[') brackets++
    if (token === ']' && --brackets < 0) return -1
    // In markdown-it, a backslash before a space is a separate token.
    isEscaped = token === '\\'
  }
  const isFound = state.pos > contentStart && state.pos < posMax && src[state.pos + 1] !== marker
  return isFound && brackets === 0 ? state.pos : -1
}

function readInner(state: StateInline, start: number, end: number): void {
  const { posMax } = state
  const first = state.tokens.length
  state.pos = start
  state.posMax = end
  state.md.inline.tokenize(state)
  state.posMax = posMax
  for (const token of state.tokens.slice(first)) {
    // Removes the backslash of an escaped space. markdown-it keeps this backslash, because
    // CommonMark has no such escape.
    if (token.type === 'text_special' && token.markup === '\\') token.content = ''
  }
}
