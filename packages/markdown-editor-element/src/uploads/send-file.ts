import type { EditorContext } from '../editor/editor-context.ts'
import { announceRequest } from '../editor/requests/announce-request.ts'
import { withCsrfToken } from '../editor/requests/csrf-token.ts'
import { postFile } from '../editor/requests/post-file.ts'
import { isConnectionLost, RequestError } from '../editor/requests/request-error.ts'
import { laterStrings } from '../i18n/later.ts'
import { type MediaFile, shownSize } from './media-markdown.ts'

/**
 * Sends a file to the `upload-url` of an editor.
 *
 * @param onProgress hears the share that was sent, 0 to 1
 * @returns what the server stored, and how large it is to be shown if it is an image
 * @throws RequestError with a message for the user, or the signal's reason when it was aborted
 */
export async function sendFile(
  context: EditorContext,
  file: File,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<MediaFile> {
  const strings = laterStrings(context.strings)
  // A browser would tell no more than that the request failed.
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw new RequestError(strings.fileUnreadable, { status: 400, cause })
    })
  const url = context.attribute('upload-url')
  const stored = await withCsrfToken(context, url, signal, (token) => {
    const target = announceRequest(context, 'upload', url, token, signal)
    return postFile(target, file, token, onProgress)
  })
  return { ...stored, ...(await shownSize(file, stored)) }
}

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

/** Lets a number of tasks run at once; the others wait for their turn in order. */
export class Slots {
  readonly #waiting: (() => void)[] = []
  #free: number

  /** @param count how many may run at once */
  constructor(count: number) {
    this.#free = count
  }

  /**
   * Runs a task when its turn comes.
   *
   * @throws the signal's reason when it is aborted before that, or what the task throws
   */
  async run<Result>(signal: AbortSignal, task: () => Promise<Result>): Promise<Result> {
    await this.#acquire(signal)
    try {
      return await task()
    } finally {
      this.#release()
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#free > 0) {
      this.#free--
      return
    }
    await new Promise<void>((resolve, reject) => {
      const give = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1)
        reject(signal.reason)
      }
      this.#waiting.push(give)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}
