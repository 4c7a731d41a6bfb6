import { type ErrorTable, SERVER_ERRORS, type ServerErrorCode } from './error-codes.ts'

/** A problem with one property of a request body. */
export interface FieldError {
  /** The name of the property as the client sent it. */
  readonly field: string
  /** The problem, and the values that are allowed. */
  readonly message: string
}

/** Optional properties of a {@link QuillgateError}. */
export interface QuillgateErrorOptions {
  /** The error that caused this error. It is kept for logs and never sent to a client. */
  readonly cause?: unknown
  /**
   * The message for logs and for code that catches the error. It may contain details that clients
   * must not see, such as a path, a host or a reason. @default `detail`
   */
  readonly internal?: string
  /** Headers of the response, for example `retry-after` (429) or `allow` (405). */
  readonly headers?: Readonly<Record<string, string>>
  /** The properties of the request body that are wrong. */
  readonly errors?: readonly FieldError[]
  readonly title?: string | undefined
}

const BRAND = Symbol.for('quillgate.error')

/**
 * The base class of the errors that Quillgate throws. `code` is stable and documented. `detail`
 * says what to do and may be sent to the client. `message` may contain more details for operators.
 *
 * @example
 * throw new QuillgateError('post_locked', 409, 'Another user edits this post. Try again later.')
 */
export class QuillgateError<Code extends string = string> extends Error {
  override name = 'QuillgateError'
  readonly code: Code
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly FieldError[]

  static {
    Object.defineProperty(QuillgateError.prototype, BRAND, { value: true })
  }

  /**
   * @param code a stable code in snake_case
   * @param status HTTP status, 400 to 599
   * @param detail one or two sentences for the client
   */
  constructor(code: Code, status: number, detail: string, options: QuillgateErrorOptions = {}) {
    const { cause, internal = detail } = options
    super(internal, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.title = options.title ?? inWords(code)
    this.detail = detail
    this.headers = options.headers ?? {}
    this.errors = options.errors ?? []
  }
}

function inWords(code: string): string {
  const words = code.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Returns true for a {@link QuillgateError}, even if another copy of this package created it.
 *
 * @example
 * if (isQuillgateError<MarkdownEditorErrorCode>(error) && error.code === 'text_too_large') shorten()
 */
export function isQuillgateError<Code extends string = string>(
  error: unknown,
): error is QuillgateError<Code> {
  return typeof error === 'object' && error !== null && BRAND in error
}

/** A function that creates an error by its code. The option `status` replaces the usual status. */
export type CreateError<Code extends string> = (
  code: Code,
  detail: string,
  options?: Omit<QuillgateErrorOptions, 'title'> & { readonly status?: number },
) => QuillgateError<Code>

/**
 * Returns the function that creates the errors in `table`.
 *
 * @example
 * const storeError = defineErrors({ sold_out: { status: 409, when: 'no copy is left' } })
 * throw storeError('sold_out', 'No copy is left. Order another book.')
 */
export function defineErrors<const Table extends ErrorTable>(
  table: Table,
): CreateError<keyof Table & string> {
  return (code, detail, options = {}) => {
    const { status, title } = table[code] as Table[keyof Table]
    return new QuillgateError(code, options.status ?? status, detail, { ...options, title })
  }
}

/** Creates an error of this package. */
export const serverError: CreateError<ServerErrorCode> = defineErrors(SERVER_ERRORS)

/** Thrown for a wrong setting or option. The message contains its name, and usually its value. */
export class ConfigurationError extends QuillgateError<'configuration_error'> {
  override name = 'ConfigurationError'

  /**
   * @param setting name of the setting or option, for example `maxUploadSize`
   * @param problem what is wrong and what would be right, for example `must be true or false`
   * @param value the wrong value; omit it if it is secret
   */
  constructor(setting: string, problem: string, value?: unknown) {
    const shown = value === undefined ? '' : ` (got ${describe(value)})`
    const { status } = SERVER_ERRORS.configuration_error
    super('configuration_error', status, `${setting} ${problem}${shown}.`)
  }
}

function describe(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
  if (Array.isArray(value)) return `an array with ${value.length} items`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** Creates the error 404 `not_found`. */
export function notFound(): QuillgateError {
  return serverError('not_found', 'There is nothing at this address.')
}

/** Creates the error 403 `csrf_failed`. */
export function csrfFailed(): QuillgateError {
  return serverError(
    'csrf_failed',
    'Send the CSRF token of the page in the header x-csrf-token, or in csrf_token, the first field ' +
      'of the form. If the token was sent, reload the page. If the error remains, the request does ' +
      'not come from the origin that the server expects. The server log names both origins.',
  )
}

const SHOWN_ERRORS = 20
const NAMED_ERRORS = 3

/**
 * Creates the error 400 `invalid_request`. The property `errors` lists the first 20 wrong
 * properties. The detail names the first three, because some clients show only the detail.
 */
export function invalidRequest(detail: string, errors: readonly FieldError[] = []): QuillgateError {
  const named = errors
    .slice(0, NAMED_ERRORS)
    .map(({ field, message }) => `${field.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')}: ${message}`)
  const text = [detail, ...named].join(' ')
  return serverError('invalid_request', text, { errors: errors.slice(0, SHOWN_ERRORS) })
}
