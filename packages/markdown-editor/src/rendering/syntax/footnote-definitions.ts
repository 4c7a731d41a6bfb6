import type { StateBlock } from 'markdown-it'

/** A footnote of one document. */
export interface Footnote {
  /** From 1, by the first reference; 0 as long as there is none. */
  number: number
  /** How many references lead to it. */
  references: number
}

/** The footnotes of one document, kept in the parser's `env` while it is rendered. */
export interface Footnotes {
  /** By normalized label. */
  readonly defined: Map<string, Footnote>
  /** In the order of their numbers. */
  readonly referenced: Footnote[]
}

const key = Symbol('footnotes')

/**
 * Gives the footnotes of the document that is being rendered.
 *
 * @param env - the parser's environment, new for each document
 */
export function footnotesOf(env: { [key: symbol]: unknown }): Footnotes {
  env[key] ??= { defined: new Map(), referenced: [] }
  return env[key] as Footnotes
}

const definition = /\[\^([^\s[\]]{1,100})\]:[ \t]*/y

/**
 * The block rule for `[^label]: text`; lines that are indented by four belong to it too. Of two with the same label the
 * first counts.
 */
export function readDefinition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
  definition.lastIndex = start
  const match = definition.exec(state.src)
  if (match === null || start + match[0].length > (state.eMarks[startLine] ?? 0)) return false
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  if (silent) return true
  state.push('footnote_open', '', 1).meta = { footnote: define(state, match[1] ?? '') }
  readContent(state, startLine, endLine, start + match[0].length)
  state.push('footnote_close', '', -1)
  return true
}

function define(state: StateBlock, name: string): Footnote | null {
  const { defined } = footnotesOf(state.env)
  const label = state.md.utils.normalizeReference(name)
  if (defined.has(label)) return null
  const footnote = { number: 0, references: 0 }
  defined.set(label, footnote)
  return footnote
}

// The first line begins behind the colon, the others four columns further in: the parser is told so for a while.
function readContent(state: StateBlock, line: number, endLine: number, contentStart: number): void {
  const { blkIndent, parentType } = state
  const before = [state.bMarks[line] ?? 0, state.tShift[line] ?? 0, state.sCount[line] ?? 0] as const
  state.bMarks[line] = contentStart
  state.tShift[line] = 0
  state.blkIndent += 4
  state.sCount[line] = state.blkIndent
  state.parentType = 'footnote'
  state.md.block.tokenize(state, line, endLine)
  Object.assign(state, { blkIndent, parentType })
  ;[state.bMarks[line], state.tShift[line], state.sCount[line]] = before
}
