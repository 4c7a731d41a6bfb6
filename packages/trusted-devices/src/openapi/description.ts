import type { JsonSchema, MemberRules } from '../members.ts'

/**
 * Who may ask. `anybody`: no cookie is looked at. `device`: a device that is signed in; `change`: the same, with the
 * CSRF token when it is a browser. `own`: as `change`, but the operation looks itself who asks.
 */
export type Access = 'anybody' | 'device' | 'change' | 'own'

/** An answer that is no error. */
export interface Answer {
  readonly description: string
  /** Of the body; without it, or another content type, there is none. */
  readonly schema?: JsonSchema
  /** @default 'application/json' */
  readonly contentType?: string
}

/** Codes of errors by their status. */
export type ErrorCodes = Readonly<Record<number, readonly string[]>>

/** One method of an endpoint: by this it is checked, and by this it is described. */
export interface OperationDescription {
  /** Unique; the `operationId`. */
  readonly id: string
  readonly summary: string
  readonly access: Access
  /** Members of a JSON body. */
  readonly body?: MemberRules
  /** False: no body is `{}`. @default true */
  readonly bodyRequired?: boolean
  /** In place of `body`: members of an HTML form, which the operation reads itself. */
  readonly form?: JsonSchema
  readonly query?: MemberRules
  /**
   * True: errors are pages for people, which carry their status and no code. What fails before the page is a problem
   * all the same. @default false
   */
  readonly hasPages?: boolean
  /** Whether the path ends with the uid of a device. */
  readonly hasUid?: boolean
  readonly answers: Readonly<Record<number, Answer>>
  /** Those that do not follow from the rest; see {@link errorsOf}. */
  readonly errors?: ErrorCodes
}

/** The operations of one path, by method. */
export interface PathDescription {
  /** Below the base path, with `:name` for a part. */
  readonly path: string
  readonly methods: Readonly<Record<string, OperationDescription>>
}

/** Every error that an operation may answer with; a wrong address or method has errors of its own. */
export function errorsOf(operation: OperationDescription): ErrorCodes {
  const { access, body, form, query, hasUid, errors = {} } = operation
  const codes = new Map<number, Set<string>>()
  const add = (status: number, ...names: readonly string[]): void => {
    codes.set(status, new Set([...(codes.get(status) ?? []), ...names]))
  }
  if (access !== 'anybody') add(401, 'authentication_required')
  if (access === 'change' || access === 'own') add(403, 'csrf_failed')
  if (body) {
    add(400, 'malformed_json', 'invalid_request')
    add(413, 'body_too_large')
    add(415, 'unsupported_media_type')
    add(500, 'body_already_read')
  }
  if (form) add(415, 'unsupported_media_type')
  if (query) add(400, 'invalid_request')
  if (hasUid) add(400, 'invalid_uid')
  for (const [status, names] of Object.entries(errors)) add(Number(status), ...names)
  add(500, 'internal_error', 'invalid_user')
  add(
    503,
    'database_unavailable',
    'database_busy',
    ...(access === 'device' ? [] : ['commit_unknown']),
  )
  return Object.fromEntries(
    [...codes].sort(([a], [b]) => a - b).map(([status, names]) => [status, [...names].sort()]),
  )
}
