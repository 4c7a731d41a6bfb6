import {
  type CreateError,
  defineErrors,
  type ErrorTable,
  type Logger,
  QuillgateError,
  type QuillgateErrorOptions,
  type ServerErrorCode,
} from '@quillgate/server/core'
import type { StorageErrorCode } from '@quillgate/storage'

/** Every error code of this package. The table in the guide is generated from this object. */
export const EDITOR_ERRORS = {
  missing_file: {
    status: 400,
    when: 'an upload is not a `multipart/form-data` form with the field `file`',
  },
  multiple_files: { status: 400, when: 'an upload contains more than one file' },
  empty_file: { status: 400, when: 'an uploaded file is empty' },
  quota_exceeded: { status: 413, when: 'the files of this owner exceed `ownerQuota`' },
  validation_error: {
    status: 422,
    when: '`validate` rejected the file, or an image [has too many pixels](markdown-editor.md#images)',
  },
  text_too_large: { status: 413, when: 'a text is larger than 4 MiB' },
  too_many_media: { status: 413, when: 'a saved text mentions more than 10,000 files' },
  precondition_failed: { status: 412, when: 'the file differs from the version in `if-match`' },
  range_not_satisfiable: { status: 416, when: 'the file is shorter than the range' },
  upload_interrupted: { status: 503, when: 'an upload took too long: send the file again' },
  media_in_use: {
    status: 409,
    when: '`media.remove` was called, but a record references the file: remove the reference first',
  },
  deletion_suspended: {
    status: 503,
    when: 'no file can be deleted, because the storage belongs to another installation',
  },
  not_ready: {
    status: 500,
    when: 'the editor has not started: await `gate.ready()` before the first save in a transaction',
  },
  record_without_id: {
    status: 500,
    when: 'an ORM saved a record without a known primary key: call `references.set` with the key',
  },
  bulk_write_not_tracked: {
    status: 500,
    when: 'an ORM write does not name the records that it changes: make the call that the message names',
  },
} as const satisfies ErrorTable

type OwnCode = keyof typeof EDITOR_ERRORS

/** Every error code that the markdown editor throws or sends in a response. */
export type MarkdownEditorErrorCode = OwnCode | StorageErrorCode | ServerErrorCode

/** Creates an error of this package. */
export const editorError: CreateError<OwnCode> = defineErrors(EDITOR_ERRORS)

/** Logs an error of a request. The client does not get its details. */
export function logUnexpected(logger: Logger, error: unknown): void {
  logger.error('A request to the markdown editor failed.', error)
}

/** Thrown by `validate` of an upload handler to reject a file: 422 `validation_error`. */
export class ValidationError extends QuillgateError<'validation_error'> {
  override name = 'ValidationError'

  /** @param detail the reason, which is shown to the user who sent the file */
  constructor(detail: string, options: QuillgateErrorOptions = {}) {
    super('validation_error', EDITOR_ERRORS.validation_error.status, detail, options)
  }
}

/**
 * Thrown by `editor.readForm`. It has the code, status and detail of its `cause`. It also has the
 * fields that were sent, so that the application can show the form again.
 *
 * For `authentication_required` and `csrf_failed`, `fields` contains only the fields before the
 * first file, at most 65,536 characters. If the request came from another origin, `fields` is
 * empty. Otherwise, the page could show a forged text in a form with a valid CSRF token.
 */
export class FormError extends QuillgateError<MarkdownEditorErrorCode> {
  override name = 'FormError'
  readonly fields: URLSearchParams

  constructor(cause: QuillgateError, fields: URLSearchParams) {
    const { code, status, detail, headers, errors, title } = cause
    super(code as MarkdownEditorErrorCode, status, detail, { cause, headers, errors, title })
    this.fields = fields
  }
}
