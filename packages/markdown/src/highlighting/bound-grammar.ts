// Members of a mode that hold regular expressions, as such or as source text, alone or in lists.
// https://highlightjs.readthedocs.io/en/latest/mode-reference.html
const PATTERN_MEMBERS: ReadonlySet<string> = new Set([
  'begin',
  'end',
  'match',
  'illegal',
  'beforeMatch',
  '$pattern',
])

// What compiling leaves in a mode. A few languages (JSON, Java) share modes between all their grammars, and the
// application may have used them before.
const COMPILED_MEMBERS: ReadonlySet<string> = new Set(['isCompiled', 'matcher', 'cachedVariants'])

// The longest name, number or blank; the longest piece of any characters; and how many pieces, each of any length, may
// follow each other: a C++ function has a handful of words before its name.
const MOST_WORD_CHARACTERS = 50
const MOST_CHARACTERS = 120
const MOST_PIECES = 6

// A set, an escaped or other character; the start and the end of a group; a repetition.
const TOKEN =
  /\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]))?|\)|([*+])|\{(\d+),(\d*)\}|./gs

/**
 * Copies a grammar of highlight.js, with an upper bound to every repetition in its regular expressions.
 *
 * Many of them would try at each character how far a run of letters or words goes, which takes quadratic or cubic time:
 * 10,000 characters of C# took 8 seconds. Bounded, they cost about the same for each character. A piece of code that
 * goes beyond the bounds (a name of 100 letters) has no colour.
 *
 * @param grammar - what a language definition gives; it may hold circles
 */
export function boundGrammar(grammar: object): object {
  const copies = new Map<object, object>()
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const known = copies.get(value)
    if (known !== undefined) return known
    const fresh = (Array.isArray(value) ? [] : {}) as Record<string, unknown>
    copies.set(value, fresh)
    for (const [name, member] of Object.entries(value)) {
      if (COMPILED_MEMBERS.has(name)) continue
      fresh[name] = PATTERN_MEMBERS.has(name) ? boundPattern(member) : copy(member)
    }
    return fresh
  }
  return copy(grammar) as object
}

function boundPattern(pattern: unknown): unknown {
  if (typeof pattern === 'string') return boundRepetitions(pattern)
  if (pattern instanceof RegExp) return new RegExp(boundRepetitions(pattern.source), pattern.flags)
  return Array.isArray(pattern) ? pattern.map(boundPattern) : pattern
}

/**
 * Gives the source of a regular expression in which every repetition has an upper bound.
 *
 * @example
 * boundRepetitions('\\w+(,\\w+)*') // '\\w{1,50}(,\\w{1,50}){0,6}'
 */
export function boundRepetitions(source: string): string {
  const outer: boolean[] = []
  let repeats = false // There is a repetition in the group that is open.
  let most = 0 // For a repetition of what came last.
  return source.replace(TOKEN, (token, sign?: string, least?: string, asked?: string) => {
    if (sign !== undefined || least !== undefined) {
      const from = Number(least ?? (sign === '+' ? 1 : 0))
      repeats = true
      return `{${from},${Math.max(from, Math.min(most, Number(asked || most)))}}`
    }
    if (token.startsWith('(')) {
      outer.push(repeats)
      repeats = false
    }
    most = /^(?:\.|\[\^|\))/.test(token) ? MOST_CHARACTERS : MOST_WORD_CHARACTERS
    if (token === ')') {
      if (repeats) most = MOST_PIECES
      repeats = outer.pop() === true || repeats
    }
    return token
  })
}
