import { serverError } from '@quillgate/server/core'
import { readJson } from '@quillgate/server/http'

/** Bytes; the largest honest body is two tokens. */
export const MAX_BODY = 16_384

/** Reads a JSON body of our endpoints. @throws QuillgateError 400 `malformed_json`, 413, 415 */
export function readBody(request: Request): Promise<unknown> {
  return readJson(request, { maxBytes: MAX_BODY })
}

/** Reads a JSON body that may be left out: then it is `{}`. */
export async function readOptionalBody(request: Request): Promise<unknown> {
  const isEmpty = request.headers.get('content-length') === '0' || request.body === null
  if (isEmpty || (request.headers.get('content-type') === null && (await hasNoBytes(request))))
    return {}
  return readBody(request)
}

async function hasNoBytes(request: Request): Promise<boolean> {
  for await (const chunk of request.body ?? []) {
    if (chunk.byteLength > 0) {
      throw serverError('unsupported_media_type', 'Send JSON with content-type: application/json.')
    }
  }
  return true
}
