import type { UploadResponse } from '../contract/wire.ts'
import { withCsrfToken } from '../editor/csrf-token.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { isConnectionLost, RequestError } from '../editor/request-error.ts'
import { announceRequest, postFile } from '../editor/requests.ts'
import { laterStrings } from '../i18n/later.ts'
import type { Pause } from './upload-state.ts'

/**
 * Sends a file to the `upload-url` of an editor.
 *
 * @param onProgress is called with the share that was sent, 0 to 1
 * @throws RequestError with a message for the user, or the signal's reason when it was aborted
 */
export async function sendFile(
  context: EditorContext,
  file: File,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<UploadResponse> {
  const strings = laterStrings(context.strings)
  // For an unreadable file the request itself would fail without a reason.
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw new RequestError(strings.fileUnreadable, { status: 400, cause })
    })
  const url = context.attribute('upload-url')
  return await withCsrfToken(context, url, signal, (token) => {
    const target = announceRequest(context, 'upload', url, token, signal)
    return postFile(target, file, token, onProgress)
  })
}

// In seconds. An upload that would have to wait longer fails instead.
const LONGEST_WAIT = 300

/** Why a failed upload can continue later without the user; null when it cannot. */
export function pauseAfter(error: unknown): Pause | null {
  if (isConnectionLost(error) && !navigator.onLine) return { kind: 'offline' }
  if (!(error instanceof RequestError) || (error.status !== 429 && error.status !== 503))
    return null
  const { retryAfter } = error
  return retryAfter === null || retryAfter > LONGEST_WAIT
    ? null
    : { kind: 'busy', seconds: retryAfter }
}
