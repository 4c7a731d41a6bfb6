/** An error of the token client. The user stays signed in. */
export class TokenClientError extends Error {
  override name = 'TokenClientError'
  /**
   * The code of the problem details, for example `invalid_credentials`, or a code of the client:
   * `unreachable` (no usable answer), `busy` (429 or 503 without a code), `storage_failed` (the new
   * tokens could not be stored).
   */
  readonly code: string
  /** The HTTP status, or 0 without an answer. */
  readonly status: number
  /**
   * The time before which the client sends no request, in milliseconds since the epoch, or null.
   */
  readonly retryAt: number | null

  constructor(
    code: string,
    message: string,
    {
      status = 0,
      retryAt = null,
      cause,
    }: { status?: number; retryAt?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.retryAt = retryAt
  }
}

/** Creates the error for an access token that cannot be renewed now. */
export function unavailable(
  code: string,
  status: number,
  retryAt: number | null,
  cause?: unknown,
): TokenClientError {
  return new TokenClientError(code, 'The access token could not be renewed. Try again later.', {
    status,
    retryAt,
    cause,
  })
}
