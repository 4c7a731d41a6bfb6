import { type ErrorTable, SERVER_ERRORS, type ServerErrorCode } from './error-codes.ts'

/** A problem with one member of a request body. */
export interface FieldError {
  /** Name of the member as the client sent it. */
  readonly field: string
  /** The problem, and the values that are allowed. */
  readonly message: string
}

/** Optional properties of a {@link QuillgateError}. */
export interface QuillgateErrorOptions {
  /** The error that caused this one. It is kept for logs and never sent to a client. */
  readonly cause?: unknown
  /**
   * The message for logs and for code that catches the error. It may contain what clients must not
   * see: a path, a host, a reason. @default the detail
   */
  readonly internal?: string
  /** Headers of the response, for example `retry-after` (429) or `allow` (405). */
  readonly headers?: Readonly<Record<string, string>>
  /** Problems of single members of the request body. */
  readonly errors?: readonly FieldError[]
  /** The title of the problem document. @default the code in words */
  readonly title?: string
}

const BRAND = Symbol.for('quillgate.error')

/**
 * The base class of the errors that Quillgate throws. `code` is stable and documented. `status` is
 * the HTTP status of the response. `detail` says what to do and may be shown to the caller.
 * `message` is the same, or says more for the operator.
 *
 * Packages create these errors with the function that {@link defineErrors} returns.
 *
 * @example
 * throw new QuillgateError('post_locked', 409, 'Another user edits this post. Try again later.')
 */
export class QuillgateError<Code extends string = string> extends Error {
  override name = 'QuillgateError'
  readonly code: Code
  readonly status: number
  /** A short text that is the same for every error with this code. */
  readonly title: string
  /** The text for the caller. */
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly FieldError[]

  static {
    Object.defineProperty(QuillgateError.prototype, BRAND, { value: true })
  }

  /**
   * @param code a stable code in snake_case
   * @param status HTTP status, 400 to 599
   * @param detail one or two sentences for the caller
   */
  constructor(code: Code, status: number, detail: string, options: QuillgateErrorOptions = {}) {
    super(
      options.internal ?? detail,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
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
 * Returns true for a {@link QuillgateError}, including one of another copy of this package.
 *
 * @example
 * if (isQuillgateError<MarkdownEditorErrorCode>(error) && error.code === 'text_too_large') shorten()
 */
export function isQuillgateError<Code extends string = string>(
  error: unknown,
): error is QuillgateError<Code> {
  return typeof error === 'object' && error !== null && BRAND in error
}

/** Options of a call that creates an error from a table. */
export interface DefinedErrorOptions extends Omit<QuillgateErrorOptions, 'title'> {
  /** A status that differs from that of the table. */
  readonly status?: number
}

/** Creates an error with the status and the title of its table. */
export type CreateError<Code extends string> = (
  code: Code,
  detail: string,
  options?: DefinedErrorOptions,
) => QuillgateError<Code>

/**
 * Returns the function that creates the errors of a table. The codes of the table form a closed
 * union, so that an unknown code does not compile.
 *
 * @param table every error code of a package
 *
 * @example
 * const storeError = defineErrors({
 *   sold_out: { status: 409, title: 'Sold out', when: 'no copy is left' },
 * })
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

/** Thrown for a wrong setting or option. The message contains its name and its value. */
export class ConfigurationError extends QuillgateError<'configuration_error'> {
  override name = 'ConfigurationError'

  /**
   * @param setting name of the setting or option, for example `maxUploadSize`
   * @param problem what is wrong and what would be right, for example `must be a positive integer
   * (bytes)`
   * @param value the offending value; leave it out when it is secret
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
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? `an array of ${value.length}` : 'an object'
  }
  return String(value)
}
