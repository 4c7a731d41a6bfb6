import { QuillgateError } from '@quillgate/server/core'
import type { PostDraft } from './posts.ts'

const MAX_TITLE = 200
/** The longest body in bytes of UTF-8. The editor finalizes no longer texts. */
export const MAX_TEXT_SIZE = 4 * 1024 * 1024

/**
 * Reads `title` and `body` of a form or a JSON object.
 *
 * @throws QuillgateError 400 `invalid_request` with the fields, or 413 `text_too_large`
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
    errors.push({ field: 'title', message: `A title has at most ${MAX_TITLE} characters.` })
  }
  if (typeof body !== 'string') errors.push({ field: 'body', message: 'The body must be text.' })
  if (errors.length > 0 || typeof title !== 'string' || typeof body !== 'string') {
    throw new QuillgateError('invalid_request', 400, 'The post is not complete.', { errors })
  }
  checkTextSize(body)
  return { title: storable(title.trim()), body: storable(body) }
}

/** Throws 413 `text_too_large` when a text has more bytes of UTF-8. */
export function checkTextSize(text: string): void {
  if (Buffer.byteLength(text) > MAX_TEXT_SIZE) {
    throw new QuillgateError(
      'text_too_large',
      413,
      `A text has at most ${MAX_TEXT_SIZE} bytes: shorten it.`,
    )
  }
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
