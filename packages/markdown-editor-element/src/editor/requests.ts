import type { FinalizeRequest, FinalizeResponse, UploadResponse } from '../contract/wire.ts'
import { lazyStrings } from '../i18n/en-lazy.ts'
import type { AllStrings } from '../i18n/strings.ts'
import { withCsrfToken } from './csrf-token.ts'
import type { EditorContext } from './editor-context.ts'
import { isRecord, RequestError, readAnswer, textOf } from './request-error.ts'

/** Detail of the `request` event, which an editor sends before each request. */
export interface RequestDetail {
  readonly kind: 'upload' | 'finalize'
  readonly url: string
  /** The headers that will be sent; listeners can add headers. */
  readonly headers: Headers
}

/** Uploads a file to the `upload-url` of an editor. */
export async function postFile(
  context: EditorContext,
  file: File,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<UploadResponse> {
  const { badAnswer, fileUnreadable } = lazyStrings(context.strings)
  // Reads one byte first. A request with an unreadable file would fail without a reason.
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw new RequestError(fileUnreadable, { status: 400, cause })
    })
  const bodyFor = (token: string | null): FormData => {
    const body = new FormData()
    // The token precedes the file, so that the server can check the token first.
    if (token !== null) body.append('csrf_token', token)
    body.append('file', file, file.name)
    return body
  }
  const { url, name, type } = await send(context, 'upload', signal, bodyFor, onProgress)
  if (typeof url !== 'string' || url === '') throw new RequestError(badAnswer)
  return { url, name: textOf(name) || file.name, type: textOf(type) || file.type }
}

/** Sends a text to the `finalize-url`. Returns the permanent URL of each temporary URL. */
export async function postText(
  context: EditorContext,
  text: string,
  signal: AbortSignal,
): Promise<FinalizeResponse['replacements']> {
  const body = JSON.stringify({ text } satisfies FinalizeRequest)
  const { replacements } = await send(context, 'finalize', signal, () => body)
  if (!isTextMap(replacements)) throw new RequestError(lazyStrings(context.strings).badAnswer)
  return replacements
}

/** Sends the `request` event, then the request. Returns the JSON of the answer, or `{}`. */
async function send(
  context: EditorContext,
  kind: RequestDetail['kind'],
  signal: AbortSignal,
  bodyFor: (token: string | null) => FormData | string,
  onProgress?: (share: number) => void,
): Promise<Readonly<Record<string, unknown>>> {
  const url = context.attribute(`${kind}-url`)
  const strings = lazyStrings(context.strings)
  const json = await withCsrfToken(context, url, signal, (token) => {
    const headers = new Headers(token === null ? {} : { 'x-csrf-token': token })
    const detail: RequestDetail = { kind, url, headers }
    const options = { bubbles: true, cancelable: true, composed: true, detail }
    if (!context.host.dispatchEvent(new CustomEvent('request', options)))
      throw new RequestError(strings.refused)
    const body = bodyFor(token)
    if (typeof body === 'string') headers.set('content-type', 'application/json')
    return post(detail, body, signal, strings, onProgress)
  })
  return isRecord(json) ? json : {}
}

/** Sends a POST request. Uses XMLHttpRequest, because `fetch` does not report upload progress. */
function post(
  { url, headers }: RequestDetail,
  body: FormData | string,
  signal: AbortSignal,
  strings: AllStrings,
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
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0)
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
