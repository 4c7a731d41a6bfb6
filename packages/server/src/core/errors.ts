/** A problem with one member of a request body. */
export interface FieldError {
  /** Name of the member as the client sent it. */
  readonly field: string
  /** What is wrong, and what would be right. */
  readonly message: string
}

/** What a {@link QuillgateError} may carry beside its code and text. */
export interface QuillgateErrorOptions {
  /** What led to this error; kept for logs, never sent to a client. */
  readonly cause?: unknown
  /**
   * The message for logs and for code that catches the error, where it says more than clients may know: a path, a host,
   * a reason. @default the detail
   */
  readonly internal?: string
  /** Headers that belong to the answer, for example `retry-after` (429) or `allow` (405). */
  readonly headers?: Readonly<Record<string, string>>
  /** Problems of single members of the request body. */
  readonly errors?: readonly FieldError[]
}

const BRAND = Symbol.for('quillgate.error')

/**
 * The base of every error that Quillgate throws on purpose. `code` is stable and documented, `status` is the HTTP
 * status that it becomes, and `detail` says what to do, so it may be shown to the caller. `message` is the same, or says
 * more for the operator.
 *
 * @example
 * throw new QuillgateError('missing_file', 400, 'Send the file in the multipart field "file".')
 */
export class QuillgateError extends Error {
  override name = 'QuillgateError'
  readonly code: string
  readonly status: number
  /** The text for the caller. */
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly FieldError[]

  static {
    Object.defineProperty(QuillgateError.prototype, BRAND, { value: true })
  }

  /**
   * @param code stable snake_case code, listed in the table of error codes
   * @param status HTTP status, 400 to 599
   * @param detail one or two sentences for the caller
   */
  constructor(code: string, status: number, detail: string, options: QuillgateErrorOptions = {}) {
    super(
      options.internal ?? detail,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.code = code
    this.status = status
    this.detail = detail
    this.headers = options.headers ?? {}
    this.errors = options.errors ?? []
  }
}

/** True for an error of ours, also when a second copy of this package made it. */
export function isQuillgateError(error: unknown): error is QuillgateError {
  return typeof error === 'object' && error !== null && BRAND in error
}

/** A setting or option is wrong. Thrown at start, and names the setting and the offending value. */
export class ConfigurationError extends QuillgateError {
  override name = 'ConfigurationError'

  /**
   * @param setting name of the setting or option, for example `maxUploadSize`
   * @param problem what is wrong and what would be right, for example `must be a positive integer (bytes)`
   * @param value the offending value; leave it out when it is secret
   */
  constructor(setting: string, problem: string, value?: unknown) {
    const shown = value === undefined ? '' : ` (got ${describe(value)})`
    super('configuration_error', 500, `${setting} ${problem}${shown}.`)
  }
}

/** A value a user-supplied check refused; becomes 422 `validation_error`. */
export class ValidationError extends QuillgateError {
  override name = 'ValidationError'

  /** @param detail why the value is refused, for the person who sent it */
  constructor(detail: string, options: QuillgateErrorOptions = {}) {
    super('validation_error', 422, detail, options)
  }
}

function describe(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? `an array of ${value.length}` : 'an object'
  }
  return String(value)
}
