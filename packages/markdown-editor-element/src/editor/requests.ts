import type { FinalizeRequest, FinalizeResponse, UploadResponse } from '../contract/wire.ts'
import { laterStrings } from '../i18n/later.ts'
import type { AllStrings } from '../i18n/strings.ts'
import type { EditorContext } from './editor-context.ts'
import {
  badAnswer,
  connectionLost,
  isRecord,
  RequestError,
  readAnswer,
  textOf,
} from './request-error.ts'

/** Detail of the `request` event, which an editor sends before each request. */
export interface RequestDetail {
  readonly kind: 'upload' | 'finalize'
  readonly url: string
  /** The headers that will be sent; listeners may add to them. */
  readonly headers: Headers
}

interface RequestTarget {
  readonly url: string
  readonly headers: Headers
  readonly signal: AbortSignal
  readonly strings: AllStrings
}

/**
 * Prepares a request and sends the `request` event, which the page may cancel.
 *
 * @param token the CSRF token, sent as a header, or null
 * @throws RequestError if a listener cancelled the event
 */
export function announceRequest(
  context: Pick<EditorContext, 'host' | 'strings'>,
  kind: RequestDetail['kind'],
  url: string,
  token: string | null,
  signal: AbortSignal,
): RequestTarget {
  const strings = laterStrings(context.strings)
  const headers = new Headers(token === null ? {} : { 'x-csrf-token': token })
  const detail: RequestDetail = { kind, url, headers }
  const event = new CustomEvent('request', {
    bubbles: true,
    cancelable: true,
    composed: true,
    detail,
  })
  if (!context.host.dispatchEvent(event)) throw new RequestError(strings.refused)
  return { url, headers, signal, strings }
}

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
  const result = await post(target, body, onProgress)
  if (!isRecord(result) || typeof result['url'] !== 'string' || result['url'] === '')
    throw badAnswer(target.strings)
  const { url, name, type } = result
  return { url, name: textOf(name) || file.name, type: textOf(type) || file.type }
}

/**
 * Asks the server to make the temporary files of a text permanent.
 *
 * @throws RequestError, or the signal's reason when it was aborted
 */
export async function postText(target: RequestTarget, text: string): Promise<FinalizeResponse> {
  target.headers.set('content-type', 'application/json')
  const body: FinalizeRequest = { text }
  const result = await post(target, JSON.stringify(body))
  if (!isRecord(result) || !isTextMap(result['replacements'])) throw badAnswer(target.strings)
  const { replacements, missing } = result
  return {
    replacements,
    missing: Array.isArray(missing) ? missing.filter((url) => typeof url === 'string') : [],
  }
}

/**
 * Sends a POST request and returns the JSON of the answer. It does not use `fetch`, which does not
 * report upload progress.
 */
function post(
  { url, headers, signal, strings }: RequestTarget,
  body: FormData | string,
  onProgress?: (share: number) => void,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open('POST', url)
    headers.forEach((value, name) => {
      request.setRequestHeader(name, value)
    })
    if (onProgress !== undefined)
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      try {
        resolve(readAnswer(request, strings))
      } catch (error) {
        reject(error)
      }
    }
    request.onerror = () => reject(connectionLost(strings))
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(body)
  })
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((item) => typeof item === 'string')
}
