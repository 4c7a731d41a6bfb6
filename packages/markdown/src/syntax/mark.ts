import type { Delimiter, MarkdownIt, StateInline } from 'markdown-it'

const marker = 0x3d // =

/** Adds the syntax `==text==` for `<mark>`. It has the same rules as `~~text~~`. */
export function addMark(parser: MarkdownIt): void {
  parser.inline.ruler.before('emphasis', 'mark', readMarkers)
  parser.inline.ruler2.before('emphasis', 'mark', (state) => {
    pairMarkers(state, state.delimiters)
    for (const meta of state.tokens_meta) {
      if (meta?.delimiters !== undefined) pairMarkers(state, meta.delimiters)
    }
  })
}

function readMarkers(state: StateInline, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.pos) !== marker) return false
  const { length, can_open: open, can_close: close } = state.scanDelims(state.pos, true)
  if (length < 2) return false
  // If the number of markers is odd, the extra marker stays outside of the pairs.
  const isOdd = length % 2 === 1
  if (isOdd && open) state.push('text', '', 0).content = '='
  for (let pair = 0; pair < length >> 1; pair++) {
    state.push('text', '', 0).content = '=='
    // The length is 0, so that the "rule of three" of emphasis does not apply.
    const token = state.tokens.length - 1
    state.delimiters.push({ marker, length: 0, token, end: -1, open, close })
  }
  if (isOdd && !open) state.push('text', '', 0).content = '='
  state.pos += length
  return true
}

function pairMarkers(state: StateInline, delimiters: readonly Delimiter[]): void {
  for (const delimiter of delimiters) {
    const end = delimiter.marker === marker ? delimiters[delimiter.end] : undefined
    if (end === undefined) continue
    toTag(state, delimiter.token, 1)
    toTag(state, end.token, -1)
  }
}

function toTag(state: StateInline, index: number, nesting: 1 | -1): void {
  const type = nesting === 1 ? 'mark_open' : 'mark_close'
  const fields = { type, tag: 'mark', nesting, markup: '==', content: '' }
  Object.assign(state.tokens[index] ?? {}, fields)
}
