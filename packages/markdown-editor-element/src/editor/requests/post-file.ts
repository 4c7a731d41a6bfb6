import type { UploadResponse } from '../../contract/wire.ts'
import type { RequestTarget } from './announce-request.ts'
import {
  type Answer,
  badAnswer,
  connectionLost,
  isRecord,
  readAnswer,
  textOf,
} from './request-error.ts'

/**
 * Uploads a file into temporary storage.
 *
 * @param token the CSRF token or null; sent first, so that the server can check it before it reads
 * the file
 * @param onProgress is called with the share that was sent, 0 to 1
 * @throws RequestError, or the signal's reason when it was aborted
 */
export async function postFile(
  target: RequestTarget,
  file: File,
  token: string | null,
  onProgress: (share: number) => void,
): Promise<UploadResponse> {
  const body = new FormData()
  if (token !== null) body.append('csrf_token', token)
  body.append('file', file, file.name)
  const result = readAnswer(await send(target, body, onProgress), target.strings)
  if (!isRecord(result) || typeof result['url'] !== 'string' || result['url'] === '')
    throw badAnswer(target.strings)
  const { url, name, type } = result
  return { url, name: textOf(name) || file.name, type: textOf(type) || file.type }
}

// `fetch` does not report upload progress.
function send(
  { url, headers, signal, strings }: RequestTarget,
  body: FormData,
  onProgress: (share: number) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open('POST', url)
    headers.forEach((value, name) => {
      request.setRequestHeader(name, value)
    })
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      const retryAfter = request.getResponseHeader('retry-after')
      resolve({ status: request.status, text: request.responseText, retryAfter })
    }
    request.onerror = () => reject(connectionLost(strings))
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(body)
  })
}
