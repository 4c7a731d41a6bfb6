import { csrfTokenFrom, invalidRequest, jsonResponse, parseRate, type RequestContext, readJson } from '@quillgate/http'
import type { FinalizeResponse } from '../contract/wire.ts'
import type { RouteDependencies } from './dependencies.ts'
import { authenticateUser, needsCsrf, rateKey, requesterOf, verifyCsrf } from './requester.ts'

/** JSON may write a byte of text as six (`\u000a`), and something stands around the text. */
const ESCAPE_LENGTH = 6
const SURROUNDINGS = 1024
/** A text costs less than an upload, and an application may finalize many in a row. */
const TEXTS_PER_UPLOAD = 10

/** `POST …/finalize`: makes the temporary files of a text permanent and tells their new URLs. */
export function createFinalizeRoute(deps: RouteDependencies): (context: RequestContext) => Promise<Response> {
  const uploads = parseRate(deps.settings.uploadRateLimit)
  const rate = uploads && { ...uploads, limit: uploads.limit * TEXTS_PER_UPLOAD }

  return async (context) => {
    const user = await authenticateUser(deps, context)
    if (needsCsrf(context.request)) await verifyCsrf(deps, context, user, csrfTokenFrom(context.request))
    const requester = requesterOf(deps, context, user)
    await deps.limiter.consume(rateKey('finalize', deps, context, requester), rate)
    const text = await readText(context.request, deps.settings.maxTextSize)
    const { replacements, missing } = await deps.finalize(text, requester)
    return jsonResponse({ replacements, missing } satisfies FinalizeResponse)
  }
}

async function readText(request: Request, maxTextSize: number): Promise<string> {
  const maxBytes = maxTextSize * ESCAPE_LENGTH + SURROUNDINGS
  const body = await readJson(request, { maxBytes, tooLargeCode: 'text_too_large' })
  const text = typeof body === 'object' && body !== null && 'text' in body ? body.text : undefined
  if (typeof text !== 'string') {
    throw invalidRequest('Send {"text": "…"}.', [{ field: 'text', message: 'must be a string' }])
  }
  return text
}
