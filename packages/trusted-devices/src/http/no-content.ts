/** 204, kept in no cache. @param headers of the answer */
export function noContent(headers: Headers = new Headers()): Response {
  headers.set('cache-control', 'no-store')
  return new Response(null, { status: 204, headers })
}
