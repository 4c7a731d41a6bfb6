/**
 * Runs a start-up once, however often it is asked for. After a failure the next call tries again.
 *
 * @param start what must be done before the first request
 */
export function createReady(start: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () => {
    running ??= start().catch((error: unknown) => {
      running = null
      throw error
    })
    return running
  }
}
