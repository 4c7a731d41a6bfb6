/**
 * Encodes a form body as bytes. Node would otherwise write the form into a stream in the
 * background. If a handler rejected a file and stopped reading, the stream would cause an
 * unhandled rejection.
 */
export async function withFormAsBytes(init: RequestInit): Promise<RequestInit> {
  if (!(init.body instanceof FormData)) return init
  const encoded = new Response(init.body)
  const headers = new Headers(init.headers)
  headers.set('content-type', encoded.headers.get('content-type') ?? '')
  return { ...init, headers, body: await encoded.arrayBuffer() }
}
