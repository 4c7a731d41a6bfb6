import { QuillgateError } from '@quillgate/server/core'
import type { PostDraft } from './posts.ts'

const MAX_TITLE = 200
/** The maximum size of a body in bytes of UTF-8. The editor does not finalize longer texts. */
export const MAX_TEXT_SIZE = 4 * 1024 * 1024

/**
 * Reads `title` and `body` of a form or a JSON object.
 *
 * @throws QuillgateError 400 `invalid_request` with the invalid fields, or 413 `text_too_large`
 */
export function readDraft(input: unknown): PostDraft {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new QuillgateError('invalid_request', 400, 'Send an object with title and body.')
  }
  const { title, body } = input as Record<string, unknown>
  const errors = []
  if (typeof title !== 'string' || title.trim() === '')
    errors.push({ field: 'title', message: 'Give the post a title.' })
  else if (title.length > MAX_TITLE) {
    errors.push({
      field: 'title',
      message: `The title is longer than ${MAX_TITLE} characters. Shorten it.`,
    })
  }
  if (typeof body !== 'string') errors.push({ field: 'body', message: 'The body must be text.' })
  if (errors.length > 0 || typeof title !== 'string' || typeof body !== 'string') {
    throw new QuillgateError(
      'invalid_request',
      400,
      'Correct the fields that are listed in errors.',
      { errors },
    )
  }
  checkTextSize(body)
  return { title: storable(title.trim()), body: storable(body) }
}

/** Throws QuillgateError 413 `text_too_large` if a text is larger than {@link MAX_TEXT_SIZE}. */
export function checkTextSize(text: string): void {
  if (Buffer.byteLength(text) > MAX_TEXT_SIZE) {
    throw new QuillgateError(
      'text_too_large',
      413,
      `The text is larger than ${MAX_TEXT_SIZE} bytes. Shorten it.`,
    )
  }
}

/** Replaces NUL characters and lone surrogates, which PostgreSQL cannot store. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
