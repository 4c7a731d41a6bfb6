import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { jsonResponse, type QuillgateError } from '@quillgate/server/core'
import {
  csrfTokenFrom,
  type MultipartFile,
  type MultipartPart,
  parseRate,
  type RequestContext,
  readMultipart,
} from '@quillgate/server/http'
import { editorError } from '../errors.ts'
import type { ReceivedUpload } from '../media/upload/received-upload.ts'
import type { Requester, RouteDependencies } from './dependencies.ts'
import { authenticateUser, consumeRate, needsCsrf, requesterOf, verifyCsrf } from './requester.ts'

const FIELD = 'file'
const CSRF_FIELD = 'csrf_token'

/** `POST …/upload`: takes one file of a multipart form into temporary storage. */
export function createUploadRoute(
  deps: RouteDependencies,
): (context: RequestContext) => Promise<Response> {
  const rate = parseRate(deps.settings.uploadRateLimit)

  return async (context) => {
    const { request } = context
    const user = await authenticateUser(deps, context, 'upload files')
    const parts = readMultipart(request, { maxFileSize: deps.settings.maxUploadSize, maxFiles: 2 })
    let first: MultipartPart | null = null
    try {
      if (needsCsrf(request)) {
        const header = csrfTokenFrom(request)
        if (header === null && isForm(request)) first = (await parts.next()).value ?? null
        await verifyCsrf(deps, context, user, header ?? tokenIn(first))
      }
      const requester = requesterOf(deps, context, user)
      await consumeRate('upload', deps, context, requester, rate)
      if (!isForm(request)) throw missingFile()
      return jsonResponse(await receive(deps, startingWith(first, parts), requester), {
        status: 201,
      })
    } finally {
      await parts.return(undefined)
    }
  }
}

/** The token must come before the file, so that no byte of a forged form is stored: nothing but the first part is read. */
function tokenIn(first: MultipartPart | null): string | null {
  return first?.kind === 'field' && first.name === CSRF_FIELD ? first.value : null
}

// An application's own CSRF check may need no token: then the first part can be the file.
async function* startingWith(
  first: MultipartPart | null,
  rest: AsyncIterable<MultipartPart>,
): AsyncGenerator<MultipartPart> {
  if (first) yield first
  yield* rest
}

async function receive(
  deps: RouteDependencies,
  parts: AsyncIterable<MultipartPart>,
  requester: Requester,
): Promise<UploadResponse> {
  let upload: ReceivedUpload | null = null
  try {
    for await (const part of parts) {
      if (part.kind === 'field') continue
      if (upload) throw editorError('multiple_files', 'Send one file with each request.')
      upload = await deps.uploads.receive(toIncomingFile(part), requester)
    }
  } catch (error) {
    await upload?.discard()
    throw error
  }
  // The form was read to its end: only now is it known to be whole.
  if (!upload) throw missingFile()
  return upload.accept()
}

function toIncomingFile(part: MultipartFile): MultipartFile {
  // A browser sends an empty name for a file field without a choice.
  if (part.name !== FIELD || part.filename === '') throw missingFile()
  return part
}

function isForm(request: Request): boolean {
  return /^multipart\/form-data\s*(?:;|$)/i.test(request.headers.get('content-type')?.trim() ?? '')
}

function missingFile(): QuillgateError {
  return editorError(
    'missing_file',
    `Send a multipart/form-data form with the file in the field "${FIELD}".`,
  )
}
