/** A member of a list of strings. Of its parameters only strings are told. */
export interface StringItem {
  readonly value: string
  readonly parameters: ReadonlyMap<string, string>
}

const MAX_LENGTH = 1024 // Twice what browsers send.
const MAX_ITEMS = 32
const KEY = /[a-z*][a-z0-9_.*-]{0,31}/y
const BARE = /[!#$%&'*+\-.^_`|~0-9A-Za-z:/?]{0,64}/y // Tokens, numbers and booleans, which are passed over.

/**
 * Reads the few kinds of structured fields (RFC 8941) that client hints use. What is longer than any browser sends, or
 * breaks the grammar, is null as a whole.
 */
export function parseStringList(field: string | null): StringItem[] | null {
  const reader = createReader(field)
  if (!reader) return null
  const items: StringItem[] = []
  while (items.length < MAX_ITEMS) {
    const value = reader.string()
    const parameters = value === null ? null : reader.parameters()
    if (value === null || !parameters) return null
    items.push({ value, parameters })
    if (reader.isAtEnd()) return items
    if (!reader.take(',')) return null
  }
  return null
}

/** A single string. */
export function parseString(field: string | null): string | null {
  const items = parseStringList(field)
  return items?.length === 1 ? (items[0]?.value ?? null) : null
}

/** `?1` or `?0`. */
export function parseBoolean(field: string | null): boolean | null {
  const [, digit] = /^ {0,8}\?([01]) {0,8}$/.exec(field ?? '') ?? []
  return digit === undefined ? null : digit === '1'
}

/** Reads from the left and looks at each character once. */
function createReader(field: string | null) {
  if (field === null || field.length > MAX_LENGTH) return null
  let position = 0
  const skip = (): void => {
    while (field[position] === ' ' || field[position] === '\t') position++
  }
  const take = (character: string): boolean => {
    skip()
    if (field[position] !== character) return false
    position++
    return true
  }
  const match = (pattern: RegExp): string | null => {
    skip()
    pattern.lastIndex = position
    const [found = null] = pattern.exec(field) ?? []
    position += found?.length ?? 0
    return found
  }
  const string = (): string | null => {
    if (!take('"')) return null
    let value = ''
    for (; position < field.length; position++) {
      const character = field[position] ?? ''
      if (character === '"') {
        position++
        return value
      }
      const next = character === '\\' ? (field[++position] ?? '') : character
      if (!/^[ -~]$/.test(next) || (character === '\\' && next !== '"' && next !== '\\'))
        return null
      value += next
    }
    return null
  }
  const parameters = (): Map<string, string> | null => {
    const found = new Map<string, string>()
    while (take(';')) {
      const key = match(KEY)
      if (key === null) return null
      if (!take('=')) continue
      const isString = field[position] === '"'
      const value = isString ? string() : match(BARE)
      if (value === null || (!isString && value === '')) return null
      if (isString) found.set(key, value)
    }
    return found
  }
  const isAtEnd = (): boolean => {
    skip()
    return position === field.length
  }
  return { string, parameters, take, isAtEnd }
}
