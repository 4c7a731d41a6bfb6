import { isConnectionLost, RequestError } from '../requests/request-error.ts'

// Longer than this nobody waits for a server that says when it wants to hear of us again.
const LONGEST_WAIT = 300

/** What a failed upload can wait for: the connection, or a time that the server named. */
export type Pause =
  | { readonly kind: 'offline' }
  | { readonly kind: 'busy'; readonly seconds: number }

/** What an upload that failed waits for before it goes on by itself; null when there is nothing. */
export function pauseAfter(error: unknown): Pause | null {
  if (isConnectionLost(error) && !navigator.onLine) return { kind: 'offline' }
  if (!(error instanceof RequestError) || (error.status !== 429 && error.status !== 503))
    return null
  const { retryAfter } = error
  return retryAfter === null || retryAfter > LONGEST_WAIT
    ? null
    : { kind: 'busy', seconds: retryAfter }
}

/**
 * Waits for the end of a pause.
 *
 * @param goOn hears what ends it before its time
 * @throws the signal's reason when it is aborted before
 */
export function endOf(
  pause: Pause,
  signal: AbortSignal,
  goOn: (end: () => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const listening = new AbortController()
    const timer = pause.kind === 'busy' ? setTimeout(() => end(), pause.seconds * 1000) : undefined
    const end = (): void => {
      listening.abort()
      clearTimeout(timer)
      if (signal.aborted) reject(signal.reason)
      else resolve()
    }
    window.addEventListener('online', end, { signal: listening.signal })
    signal.addEventListener('abort', end, { signal: listening.signal })
    goOn(end)
  })
}
