import { type FieldError, invalidRequest, QuillgateError, readJson } from '@quillgate/http'

const MAX_BODY = 16_384 // Bytes; the largest honest body is two tokens.

/** Rules for the members of a body. A text is checked for its length, never changed. */
export interface MemberRule {
  readonly type: 'text' | 'boolean'
  readonly optional?: boolean
  /** Longest text, in UTF-16 units. */
  readonly max?: number
}

/** The members that a set of rules gives. */
export type Members<Rules extends Readonly<Record<string, MemberRule>>> = {
  readonly [Name in keyof Rules]:
    | (Rules[Name]['type'] extends 'text' ? string : boolean)
    | (Rules[Name]['optional'] extends true ? undefined : never)
}

/** Reads a JSON body of our endpoints. @throws QuillgateError 400 `malformed_json`, 413, 415 */
export function readBody(request: Request): Promise<unknown> {
  return readJson(request, { maxBytes: MAX_BODY })
}

/** Reads a JSON body that may be left out: then it is `{}`. */
export async function readOptionalBody(request: Request): Promise<unknown> {
  const isEmpty = request.headers.get('content-length') === '0' || request.body === null
  if (isEmpty || (request.headers.get('content-type') === null && (await hasNoBytes(request)))) return {}
  return readBody(request)
}

/**
 * Checks the members of a body. Unknown members are refused: a misspelt one would else be silently without effect.
 *
 * @throws QuillgateError 400 `invalid_request` that names each wrong member
 */
export function parseMembers<const Rules extends Readonly<Record<string, MemberRule>>>(
  body: unknown,
  rules: Rules,
): Members<Rules> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidRequest('Send a JSON object.')
  const members = body as Readonly<Record<string, unknown>>
  const errors: FieldError[] = []
  for (const field of Object.keys(members)) {
    if (!Object.hasOwn(rules, field)) errors.push({ field: field.slice(0, 64), message: 'Is not a member.' })
  }
  for (const [field, rule] of Object.entries(rules)) {
    const value = Object.hasOwn(members, field) ? members[field] : undefined
    const message = problemOf(value, rule)
    if (message !== null) errors.push({ field, message })
  }
  if (errors.length > 0) throw invalidRequest('Correct the members that are listed in errors.', errors)
  return members as Members<Rules>
}

function problemOf(value: unknown, { type, optional = false, max = 1024 }: MemberRule): string | null {
  if (value === undefined) return optional ? null : 'Is missing.'
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'Must be true or false.'
  if (typeof value !== 'string') return 'Must be text.'
  if (value === '') return 'Must not be empty.'
  return value.length <= max ? null : `Must have at most ${max} characters.`
}

async function hasNoBytes(request: Request): Promise<boolean> {
  for await (const chunk of request.body ?? []) {
    if (chunk.byteLength > 0) {
      throw new QuillgateError('unsupported_media_type', 415, 'Send JSON with content-type: application/json.')
    }
  }
  return true
}
