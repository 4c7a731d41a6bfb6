import { type FieldError, invalidRequest } from '../core/errors.ts'

/**
 * The rule for a property of a body or a query: its check and its schema.
 *
 * - `text` must not be empty. It is not trimmed.
 * - `line` must not contain control characters. It may be empty. It is trimmed after the check.
 * - `whole` is a whole number. In a query, it is text of at most six digits.
 */
export interface PropertyRule {
  readonly type: 'text' | 'line' | 'boolean' | 'whole'
  readonly optional?: boolean
  /** The maximum value, or for text the maximum number of code points (by default 1024). */
  readonly max?: number
  /** @default 0 */
  readonly min?: number
  readonly description?: string
}

/** Rules by the name of the property. */
export type PropertyRules = Readonly<Record<string, PropertyRule>>

/** The values of properties that passed the check of their rules. */
export type Properties<Rules extends PropertyRules> = {
  readonly [Name in keyof Rules]:
    | ValueOf<Rules[Name]['type']>
    | (Rules[Name]['optional'] extends true ? undefined : never)
}

type ValueOf<Type> = Type extends 'boolean' ? boolean : Type extends 'whole' ? number : string

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>

const MAX_TEXT = 1024

/**
 * Checks the properties of a body. Unknown properties are ignored.
 *
 * @throws QuillgateError 400 `invalid_request` that names each missing or wrong property
 */
export function parseProperties<const Rules extends PropertyRules>(
  body: unknown,
  rules: Rules,
): Properties<Rules> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest('Send a JSON object.')
  const given = body as Readonly<Record<string, unknown>>
  const errors: FieldError[] = []
  const properties: Record<string, unknown> = {}
  for (const [field, rule] of Object.entries(rules)) {
    const value = Object.hasOwn(given, field) ? given[field] : undefined
    const message = problemOf(value, rule)
    if (message !== null) errors.push({ field, message })
    if (value === undefined) continue
    properties[field] = rule.type === 'line' && message === null ? String(value).trim() : value
  }
  if (errors.length > 0)
    throw invalidRequest('Correct the fields that are listed in errors.', errors)
  return properties as Properties<Rules>
}

/** Checks a query. Ignores unknown parameters. @throws QuillgateError 400 `invalid_request` */
export function parseQuery<const Rules extends PropertyRules>(
  query: URLSearchParams,
  rules: Rules,
): Properties<Rules> {
  const given: Record<string, unknown> = {}
  for (const [field, { type }] of Object.entries(rules)) {
    const text = query.get(field)
    if (text !== null)
      given[field] = type === 'whole' && /^\d{1,6}$/.test(text) ? Number(text) : text
  }
  return parseProperties(given, rules)
}

/** Returns the JSON Schema of properties. Other properties are allowed and ignored. */
export function propertiesSchema(rules: PropertyRules): JsonSchema {
  const required = Object.keys(rules).filter((name) => !rules[name]?.optional)
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(rules).map(([name, rule]) => [name, propertySchema(rule)]),
    ),
    ...(required.length > 0 ? { required } : {}),
  }
}

/** Returns the JSON Schema of one property. */
export function propertySchema({ type, max, min, description }: PropertyRule): JsonSchema {
  const schemas: Record<PropertyRule['type'], JsonSchema> = {
    boolean: { type: 'boolean' },
    text: { type: 'string', minLength: 1, maxLength: max ?? MAX_TEXT },
    whole: { type: 'integer', minimum: min, maximum: max },
    line: { type: 'string', maxLength: max ?? MAX_TEXT, pattern: '^[^\\p{Cc}\\p{Cs}]*$' },
  }
  const given = Object.entries({ ...schemas[type], description })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

function problemOf(
  value: unknown,
  { type, optional = false, max, min }: PropertyRule,
): string | null {
  if (value === undefined) return optional ? null : 'Is missing.'
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'Must be true or false.'
  if (type === 'whole') return wholeProblem(value, min ?? 0, max ?? Number.MAX_SAFE_INTEGER)
  if (typeof value !== 'string') return 'Must be text.'
  const most = max ?? MAX_TEXT
  if (type === 'line')
    return isWithin(value, most) && /^[^\p{Cc}\p{Cs}]*$/u.test(value)
      ? null
      : `Must be text of at most ${most} printable characters.`
  if (value === '') return 'Must not be empty.'
  return isWithin(value, most) ? null : `Must have at most ${most} characters.`
}

function wholeProblem(value: unknown, min: number, max: number): string | null {
  const isRight = Number.isInteger(value) && Number(value) >= min && Number(value) <= max
  return isRight ? null : `Must be a whole number from ${min} to ${max}.`
}

// A code point has one or two UTF-16 units, so the length in units often decides without counting.
function isWithin(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max)
}
