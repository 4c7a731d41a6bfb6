import { serverError } from '@quillgate/server/core'

const MAX_BYTES = 8192

/**
 * Reads a small form as browsers send it.
 *
 * @throws QuillgateError 415 `unsupported_media_type`, 413 `body_too_large`, 500 `body_already_read`
 */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw serverError('unsupported_media_type', 'Send a form as application/x-www-form-urlencoded.')
  }
  if (request.bodyUsed) {
    throw serverError(
      'body_already_read',
      'Mount the trusted devices before anything that reads bodies.',
    )
  }
  const tooLarge = serverError('body_too_large', `The form is larger than ${MAX_BYTES} bytes.`)
  if (Number(request.headers.get('content-length')) > MAX_BYTES) throw tooLarge
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw tooLarge
    text += decoder.decode(chunk, { stream: true })
  }
  return new URLSearchParams(text + decoder.decode())
}
