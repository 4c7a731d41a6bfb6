import type { FinalizeResponse } from '@quillgate/markdown-editor-element/contract'
import { invalidRequest, jsonResponse, type QuillgateError } from '@quillgate/server/core'
import { bodies, type Endpoint } from '@quillgate/server/http'
import { editorError } from '../errors.ts'
import { finalize, MAX_TEXT_SIZE } from '../media/finalize.ts'
import type { Principal } from '../media/ledger/principal.ts'
import type { MediaServices } from '../media/services.ts'
import { defineEndpoint, type EditorAccess } from './access.ts'

/** In JSON, one byte of text may need six bytes (`\u000a`). The structure needs some more bytes. */
const MAX_BODY_SIZE = MAX_TEXT_SIZE * 6 + 1024
/** The maximum number of texts in one request. No form has this many editors. */
const MAX_TEXTS = 100

/** Defines `POST …/finalize`, which makes the temporary files of texts permanent. */
export function finalizeEndpoint(access: EditorAccess, media: MediaServices): Endpoint {
  return defineEndpoint({
    id: 'finalize',
    method: 'POST',
    path: '/finalize',
    summary: 'Make the temporary files of texts permanent',
    access: access.userOrSession('save the files of a text'),
    rateLimit: (context, user) => access.consumeRate('finalize', context, user),
    body: bodies.json({
      schema: TEXTS_SCHEMA,
      maxBytes: MAX_BODY_SIZE,
      tooLarge: textsTooLarge,
      parse: parseTexts,
    }),
    answers: { 200: { description: 'The URLs of the files', schema: FINALIZED_SCHEMA } },
    errors: ['storage_failed'],
    async handle({ context, caller, body: texts }) {
      const principal = access.principalOf(context, caller)
      return jsonResponse(await finalizeAll(media, texts, principal))
    },
  })
}

const TEXTS_SCHEMA = {
  oneOf: [
    { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    {
      type: 'object',
      properties: {
        texts: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_TEXTS },
      },
      required: ['texts'],
    },
  ],
}

const FINALIZED_SCHEMA = {
  type: 'object',
  properties: {
    replacements: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The permanent URL of each temporary URL, spelled as in the text',
    },
    missing: {
      type: 'array',
      items: { type: 'string' },
      description: 'Temporary URLs that are expired, unknown, or owned by another user',
    },
  },
  required: ['replacements', 'missing'],
  additionalProperties: false,
}

/** Finalizes texts one after the other, so that a file in several texts is copied only once. */
async function finalizeAll(
  media: MediaServices,
  texts: readonly string[],
  principal: Principal,
): Promise<FinalizeResponse> {
  const replacements = new Map<string, string>()
  const missing = new Set<string>()
  for (const text of texts) {
    const finalized = await finalize(media, text, principal)
    for (const [url, permanent] of Object.entries(finalized.replacements))
      replacements.set(url, permanent)
    for (const url of finalized.missing) missing.add(url)
  }
  return { replacements: Object.fromEntries(replacements), missing: [...missing] }
}

function parseTexts(body: unknown): readonly string[] {
  const { text, texts } = Object(body) as { readonly text?: unknown; readonly texts?: unknown }
  if (texts === undefined) {
    if (typeof text === 'string') return [text]
    const detail =
      'The text is missing or is not a string. Send {"text": "…"}, or {"texts": ["…"]}.'
    throw invalidRequest(detail, [{ field: 'text', message: 'must be a string' }])
  }
  if (text !== undefined || !areTexts(texts)) {
    const message = `must be a list of 1 to ${MAX_TEXTS} strings, and "text" must be missing`
    const detail = 'The texts are not valid. Send {"texts": ["…"]}, or {"text": "…"}.'
    throw invalidRequest(detail, [{ field: 'texts', message }])
  }
  const size = texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0)
  if (size > MAX_TEXT_SIZE) throw textsTooLarge()
  return texts
}

function areTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_TEXTS) return false
  return value.every((each) => typeof each === 'string')
}

function textsTooLarge(): QuillgateError {
  const detail = `The texts have more than ${MAX_TEXT_SIZE} bytes in total. Shorten them.`
  return editorError('text_too_large', detail)
}
