import type { EditorContext } from '../editor-context.ts'
import { announceRequest } from '../requests/announce-request.ts'
import { withCsrfToken } from '../requests/csrf-token.ts'
import { postFile } from '../requests/post-file.ts'
import { RequestError } from '../requests/request-error.ts'
import { laterStrings } from '../strings/later.ts'
import { shownSize } from './image-size.ts'
import type { MediaFile } from './media-markdown.ts'

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
