/**
 * Writes the body of a request as bytes if it is a form. Node writes forms into a stream in the background, and that
 * ends with an unhandled rejection if a handler stops reading early, as it does when it rejects a file.
 */
export async function withFormAsBytes(init: RequestInit): Promise<RequestInit> {
  if (!(init.body instanceof FormData)) return init
  const encoded = new Response(init.body)
  const headers = new Headers(init.headers)
  headers.set('content-type', encoded.headers.get('content-type') ?? '')
  return { ...init, headers, body: await encoded.arrayBuffer() }
}
