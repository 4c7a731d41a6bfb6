/**
 * Encodes a form body as bytes. Node would write a form into a stream, which causes an unhandled
 * rejection if a handler rejects a file and stops reading.
 */
export async function withFormAsBytes(init: RequestInit): Promise<RequestInit> {
  if (!(init.body instanceof FormData)) return init
  const encoded = new Response(init.body)
  const headers = new Headers(init.headers)
  headers.set('content-type', encoded.headers.get('content-type') ?? '')
  return { ...init, headers, body: await encoded.arrayBuffer() }
}
