import type { FinalizeRequest, FinalizeResponse, UploadResponse } from '../contract/wire.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { AllStrings } from '../i18n/strings.ts'
import type { EditorContext } from './editor-context.ts'
import { isRecord, RequestError, readAnswer, textOf } from './request-error.ts'

/** Detail of the `request` event, which an editor sends before each request. */
export interface RequestDetail {
  readonly kind: 'upload' | 'finalize'
  readonly url: string
  /** The headers that will be sent; listeners can add headers. */
  readonly headers: Headers
}

interface RequestTarget {
  readonly url: string
  readonly headers: Headers
  readonly signal: AbortSignal
  readonly strings: AllStrings
}

/** Sends the `request` event. Throws a RequestError if a listener cancels it. */
export function dispatchRequest(
  context: Pick<EditorContext, 'host' | 'strings'>,
  kind: RequestDetail['kind'],
  url: string,
  token: string | null,
  signal: AbortSignal,
): RequestTarget {
  const strings = lazyStrings(context.strings)
  const headers = new Headers(token === null ? {} : { 'x-csrf-token': token })
  const detail: RequestDetail = { kind, url, headers }
  const options = { bubbles: true, cancelable: true, composed: true, detail }
  const event = new CustomEvent('request', options)
  if (!context.host.dispatchEvent(event)) throw new RequestError(strings.refused)
  return { url, headers, signal, strings }
}

/** Uploads a file. The token precedes the file, so that the server can check the token first. */
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
    throw new RequestError(target.strings.badAnswer)
  const { url, name, type } = result
  return { url, name: textOf(name) || file.name, type: textOf(type) || file.type }
}

/** Finalizes a text. Returns the permanent URL of each temporary URL. */
export async function postText(
  target: RequestTarget,
  text: string,
): Promise<FinalizeResponse['replacements']> {
  target.headers.set('content-type', 'application/json')
  const result = await post(target, JSON.stringify({ text } satisfies FinalizeRequest))
  if (!isRecord(result) || !isTextMap(result['replacements']))
    throw new RequestError(target.strings.badAnswer)
  return result['replacements']
}

/** Sends a POST request. Uses XMLHttpRequest, because `fetch` does not report upload progress. */
function post(
  { url, headers, signal, strings }: RequestTarget,
  body: FormData | string,
  onProgress?: (share: number) => void,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.responseType = 'json' // Other responses, such as a proxy's page, become null.
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
    request.onerror = () =>
      reject(new RequestError(strings.noConnection, { code: 'no_connection' }))
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(body)
  })
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((item) => typeof item === 'string')
}
