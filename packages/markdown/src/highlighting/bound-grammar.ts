// https://highlightjs.readthedocs.io/en/latest/mode-reference.html
const PATTERN_MEMBERS: ReadonlySet<string> = new Set([
  'begin',
  'end',
  'match',
  'illegal',
  'beforeMatch',
  '$pattern',
])

// highlight.js adds these properties when it compiles a mode. They are not copied, because the
// application may have compiled a mode that several grammars share.
const COMPILED_MEMBERS: ReadonlySet<string> = new Set(['isCompiled', 'matcher', 'cachedVariants'])

// The maximum numbers of repetitions: of word characters, of any characters, and of groups that
// contain repetitions, such as the words before the name of a C++ function.
const MOST_WORD_CHARACTERS = 50
const MOST_CHARACTERS = 120
const MOST_PIECES = 6

// Matches a part of a regular expression: a character class, an escaped or other character, the
// start or end of a group, or a quantifier.
const TOKEN =
  /\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]))?|\)|([*+])|\{(\d+),(\d*)\}|./gs

/**
 * Copies a grammar of highlight.js and adds an upper bound to every repetition in its patterns.
 *
 * Without bounds, many patterns take quadratic or cubic time, because they scan the rest of a word
 * or line again from each character. For example, 10,000 characters of C# took 8 seconds. Code that
 * exceeds the bounds, such as a name of 100 letters, is not highlighted.
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

/** Bounds each repetition of a pattern: `\w+(,\w+)*` becomes `\w{1,50}(,\w{1,50}){0,6}`. */
export function boundRepetitions(source: string): string {
  const outer: boolean[] = []
  let repeats = false // True if the open group contains a repetition.
  let most = 0 // The bound for a repetition of the previous token.
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
