import type { ServerResponse } from 'node:http'

/**
 * Returns the response with a body that handles failures of its source. If the source fails before
 * the first byte, this rejects, so that an error can still be sent. If it fails later, the
 * connection is cut, which is how HTTP marks an incomplete response. A client that disconnects
 * cancels the source, which is not an error.
 *
 * @param onError called when the source fails after the first byte
 */
export async function guardBody(
  response: Response,
  res: Pick<ServerResponse, 'destroy'>,
  onError: (error: unknown) => void,
): Promise<Response> {
  if (!response.body) return response
  const reader = response.body.getReader()
  let first: Awaited<ReturnType<typeof reader.read>> | null = await reader.read()
  let isCancelled = false
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const { done, value } = first ?? (await reader.read())
      first = null
      if (isCancelled) return // The controller is closed.
      if (done) controller.close()
      else controller.enqueue(value)
    } catch (error) {
      if (isCancelled) return // The client disconnected, which is not a server error.
      onError(error)
      res.destroy()
    }
  }
  const cancel = (reason: unknown): Promise<void> => {
    isCancelled = true
    return reader.cancel(reason)
  }
  return new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), response)
}

/** Returns the answer to HEAD, and cancels the body of GET. */
export async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel()
  return new Response(null, response)
}
