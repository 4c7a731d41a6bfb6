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
  parser.inline.ruler.after('emphasis', tag, (state, silent) => {
    // The end of a link is searched for without these: `[~ada](/~ada)` holds none.
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

// The position of the closing marker; -1 without one. It is in no code, link or tag, and brackets in between are in pairs.
// The search ends with the next marker or space, so that all of them together read a text once.
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
    // markdown-it takes the backslash before a space for a token of its own.
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
    // A backslash before a space: markdown-it keeps it, since it escapes nothing elsewhere.
    if (token.type === 'text_special' && token.markup === '\\') token.content = ''
  }
}
