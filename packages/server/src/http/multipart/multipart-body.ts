import type { QuillgateError } from '../../core/errors.ts'
import { mediaType } from '../body.ts'
import { type BodyKind, formBody, jsonBody, type OpenBody, propertiesBody } from '../body-kinds.ts'
import type { JsonSchema } from '../properties.ts'
import { type MultipartLimits, type MultipartPart, readMultipart } from './read-multipart.ts'

interface MultipartBodyOptions extends MultipartLimits {
  readonly schema: JsonSchema
  /** Creates the error for a body of another content type. @default 415 */
  readonly notAForm?: () => QuillgateError
}

/** The kinds of bodies that endpoints take, for example `bodies.properties({ token: TOKEN })`. */
export const bodies = {
  form: formBody,
  json: jsonBody,
  multipart: multipartBody,
  properties: propertiesBody,
}

/**
 * Returns the body kind for forms with files. Parts are read while they arrive. A CSRF token in the
 * form must be the first part, the field `csrf_token`. The token is checked before any other part
 * is read, so that no data of a forged form is stored.
 */
function multipartBody(options: MultipartBodyOptions): BodyKind<AsyncIterable<MultipartPart>> {
  return {
    content: { 'multipart/form-data': options.schema },
    isRequired: true,
    errors: [
      ...['malformed_multipart', 'body_too_large', 'file_too_large', 'field_too_large'],
      ...['too_many_parts', 'body_already_read'],
    ],
    open: (request) => openMultipart(request, options),
  }
}

function openMultipart(
  request: Request,
  { notAForm, ...limits }: MultipartBodyOptions,
): OpenBody<AsyncIterable<MultipartPart>> {
  const isForm = mediaType(request.headers.get('content-type')) === 'multipart/form-data'
  const parts = readMultipart(request, limits)
  let first: MultipartPart | null = null
  return {
    async csrfToken() {
      if (!isForm) return null
      first = (await parts.next()).value ?? null
      return first?.kind === 'field' && first.name === 'csrf_token' ? first.value : null
    },
    async read() {
      if (!isForm && notAForm) throw notAForm()
      return startingWith(first, parts)
    },
    async close() {
      await parts.return(undefined)
    },
  }
}

// Also yields the part that was read to look for the CSRF token. With the option `csrf`, a form may
// need no token, and this part can be a file.
async function* startingWith(
  first: MultipartPart | null,
  rest: AsyncIterable<MultipartPart>,
): AsyncGenerator<MultipartPart> {
  if (first) yield first
  yield* rest
}
