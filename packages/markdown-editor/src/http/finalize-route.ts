import type { FinalizeResponse } from '@quillgate/markdown-editor-element/contract'
import { invalidRequest, jsonResponse, type QuillgateError } from '@quillgate/server/core'
import { csrfTokenFrom, parseRate, type RequestContext, readJson } from '@quillgate/server/http'
import { editorError } from '../errors.ts'
import type { RouteDependencies } from './dependencies.ts'
import { authenticateUser, consumeRate, needsCsrf, requesterOf, verifyCsrf } from './requester.ts'

/** JSON may write a byte of text as six (`\u000a`), and something stands around the text. */
const ESCAPE_LENGTH = 6
const SURROUNDINGS = 1024
/** A text costs less than an upload, and an application may finalize many in a row. */
const TEXTS_PER_UPLOAD = 10
/** A form has no more editors. */
const MOST_TEXTS = 100

/** `POST …/finalize`: makes the temporary files of a text, or of several, permanent and tells their new URLs. */
export function createFinalizeRoute(
  deps: RouteDependencies,
): (context: RequestContext) => Promise<Response> {
  const uploads = parseRate(deps.settings.uploadRateLimit)
  const rate = uploads && { ...uploads, limit: uploads.limit * TEXTS_PER_UPLOAD }

  return async (context) => {
    const user = await authenticateUser(deps, context, 'save the files of a text')
    if (needsCsrf(context.request))
      await verifyCsrf(deps, context, user, csrfTokenFrom(context.request))
    const requester = requesterOf(deps, context, user)
    await consumeRate('finalize', deps, context, requester, rate)
    const texts = await readTexts(context.request, deps.settings.maxTextSize)
    return jsonResponse(await finalizeAll(texts, (text) => deps.finalize(text, requester)))
  }
}

type Finalized = Pick<FinalizeResponse, 'replacements' | 'missing'>

/** What the texts came to together. One after the other: two of them may have the same files. */
async function finalizeAll(
  texts: readonly string[],
  finalize: (text: string) => Promise<Finalized>,
): Promise<FinalizeResponse> {
  const replacements = new Map<string, string>()
  const missing = new Set<string>()
  for (const text of texts) {
    const finalized = await finalize(text)
    for (const [url, permanent] of Object.entries(finalized.replacements))
      replacements.set(url, permanent)
    for (const url of finalized.missing) missing.add(url)
  }
  return { replacements: Object.fromEntries(replacements), missing: [...missing] }
}

async function readTexts(request: Request, maxTextSize: number): Promise<readonly string[]> {
  const maxBytes = maxTextSize * ESCAPE_LENGTH + SURROUNDINGS
  const body = await readJson(request, { maxBytes, tooLarge: () => textsTooLarge(maxTextSize) })
  const { text, texts } = (typeof body === 'object' && body !== null ? body : {}) as Partial<
    Record<string, unknown>
  >
  if (texts === undefined) {
    if (typeof text === 'string') return [text]
    throw invalidRequest('Send {"text": "…"}, or {"texts": ["…"]}.', [
      { field: 'text', message: 'must be a string' },
    ])
  }
  if (text !== undefined || !areTexts(texts)) {
    const message = `must be a list of 1 to ${MOST_TEXTS} strings, without "text" beside it`
    throw invalidRequest('Send {"texts": ["…"]}, or {"text": "…"}.', [{ field: 'texts', message }])
  }
  const size = texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0)
  if (size > maxTextSize) throw textsTooLarge(maxTextSize)
  return texts
}

function textsTooLarge(maxTextSize: number): QuillgateError {
  return editorError(
    'text_too_large',
    `The texts are larger than ${maxTextSize} bytes together. Shorten them.`,
  )
}

function areTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_TEXTS) return false
  return value.every((each) => typeof each === 'string')
}
