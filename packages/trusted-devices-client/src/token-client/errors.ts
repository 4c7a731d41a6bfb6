/** Why a call of the token client failed. Nobody is signed out by it. */
export class TokenClientError extends Error {
  override name = 'TokenClientError'
  /**
   * Code of the problem details, for example `invalid_credentials`. Of our own: `unreachable` (no usable answer: offline,
   * a timeout, a proxy's page), `busy` (429 or 503 without a code), `storage_failed` (the new tokens could not be kept).
   */
  readonly code: string
  /** Status of the answer; 0 without one. */
  readonly status: number
  /** Milliseconds since the epoch before which the client asks no more; null when it may at once. */
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

/** That a sign-in could not be renewed, and nothing is known of its end. */
export function unavailable(
  code: string,
  status: number,
  retryAt: number | null,
  cause?: unknown,
): TokenClientError {
  return new TokenClientError(code, 'The sign-in could not be renewed just now.', {
    status,
    retryAt,
    cause,
  })
}
