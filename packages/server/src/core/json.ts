/** Creates a JSON response. By default, browsers do not cache it and do not guess its type. */
export function jsonResponse(value: unknown, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers)
  if (!headers.has('content-type')) headers.set('content-type', 'application/json')
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  if (!headers.has('x-content-type-options')) headers.set('x-content-type-options', 'nosniff')
  return new Response(JSON.stringify(value) ?? 'null', { ...init, headers })
}
