import { ConfigurationError, escapeHtml } from '@quillgate/server/core'

type AttributeValue = string | number | boolean | null | undefined

/**
 * HTML attributes by name. `true` results in an attribute without a value. Attributes with `false`,
 * `null` or `undefined` are omitted.
 */
export type Attributes = Readonly<Record<string, AttributeValue>>

// Matches an attribute name (https://html.spec.whatwg.org/multipage/syntax.html#attributes-2). Also
// rejects `<` and backquotes, which the standard allows.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern excludes control characters
const NAME = /^[^\u0000-\u0020\u007f-\u009f"'`<>/=]+$/

/**
 * Merges sets of attributes. Later sets override earlier sets, but classes are combined. Names are
 * not case-sensitive.
 */
export function mergeAttributes(
  ...sets: readonly (Attributes | null | undefined)[]
): Record<string, AttributeValue> {
  const merged = new Map<string, AttributeValue>()
  for (const set of sets) {
    for (const [key, value] of Object.entries(set ?? {})) {
      if (!NAME.test(key))
        throw new ConfigurationError('attrs', 'must have only valid names of HTML attributes', key)
      if (value === undefined) continue
      const name = key.toLowerCase()
      merged.set(name, name === 'class' ? addClass(merged.get(name), value) : value)
    }
  }
  return Object.fromEntries(merged)
}

/** Returns attributes as text for a start tag, each with a space before it. */
export function renderAttributes(attributes: Attributes): string {
  return Object.entries(mergeAttributes(attributes))
    .filter(([, value]) => value !== null && value !== false)
    .map(([name, value]) =>
      value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`,
    )
    .join('')
}

function addClass(present: AttributeValue, more: AttributeValue): AttributeValue {
  return (
    [present, more].filter((value) => typeof value === 'string' && value !== '').join(' ') || null
  )
}
