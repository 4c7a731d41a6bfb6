/** An error of the token client. The error does not end a login. */
export class TokenClientError extends Error {
  override name = 'TokenClientError'
  /**
   * The error code of the server, for example `invalid_credentials`, or a code of the client:
   *
   * - `unreachable`: there was no usable response.
   * - `busy`: the server sent 429 or 503 without a code, or the client must wait before a request.
   * - `storage_failed`: the new tokens could not be stored.
   */
  readonly code: string
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number
  /** The earliest time of the next request, in milliseconds since the epoch, or null. */
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
