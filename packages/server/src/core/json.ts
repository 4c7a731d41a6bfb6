/** The argument of `new Headers(…)`. Only the types of some runtimes have a global name for it. */
export type HeadersSource = NonNullable<ConstructorParameters<typeof Headers>[0]>

/** Status and headers of a {@link jsonResponse}. */
export interface JsonResponseInit {
  /** @default 200 */
  readonly status?: number
  readonly headers?: HeadersSource
}

/**
 * Creates a JSON response with `cache-control: no-store` and `x-content-type-options: nosniff`,
 * which `init` can override.
 */
export function jsonResponse(value: unknown, init: JsonResponseInit = {}): Response {
  const headers = new Headers(init.headers)
  if (!headers.has('content-type')) headers.set('content-type', 'application/json')
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  if (!headers.has('x-content-type-options')) headers.set('x-content-type-options', 'nosniff')
  return new Response(JSON.stringify(value) ?? 'null', { status: init.status ?? 200, headers })
}
