import type { ServerResponse } from 'node:http'

/**
 * The same response with a body that cannot leak: when its source fails before the first byte, this rejects with that
 * error, so that a proper answer can still be made; when it fails later, the connection is cut, which is how HTTP
 * says that an answer is not whole. Bytes are taken from the source only as the client takes them.
 *
 * @param onError hears what failed later
 */
export async function guardBody(
  response: Response,
  res: Pick<ServerResponse, 'destroy'>,
  onError?: (error: unknown) => void,
): Promise<Response> {
  if (!response.body) return response
  const reader = response.body.getReader()
  let first: Awaited<ReturnType<typeof reader.read>> | null = await reader.read()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const { done, value } = first ?? (await reader.read())
      first = null
      if (done) controller.close()
      else controller.enqueue(value)
    } catch (error) {
      onError?.(error)
      res.destroy()
    }
  }
  const body = new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
  return new Response(body, response)
}

/** The answer to a HEAD request that was handled like GET: its body is let go unread. */
export async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel()
  return new Response(null, response)
}
