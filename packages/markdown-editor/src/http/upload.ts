import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { jsonResponse, type QuillgateError } from '@quillgate/server/core'
import { bodies, type Endpoint, type MultipartPart } from '@quillgate/server/http'
import { editorError } from '../errors.ts'
import type { Principal } from '../media/ledger/principal.ts'
import { type ReceivedUpload, receiveUpload } from '../media/upload/receive-upload.ts'
import type { UploadServices } from '../media/upload/upload-services.ts'
import { defineEndpoint, type EditorAccess } from './access.ts'

const FIELD = 'file'

/** Defines `POST …/upload`, which stores one file of a multipart form in temporary storage. */
export function uploadEndpoint(access: EditorAccess, media: UploadServices): Endpoint {
  return defineEndpoint({
    id: 'upload',
    method: 'POST',
    path: '/upload',
    summary: 'Upload a file into temporary storage',
    access: access.userOrSession('upload files'),
    rateLimit: (context, user) => access.consumeRate('upload', context, user),
    body: bodies.multipart({
      schema: FORM_SCHEMA,
      notAForm: missingFile,
      maxFileSize: media.settings.maxUploadSize,
      maxFiles: 2, // The endpoint rejects a second file before it is read.
      ...{ maxFields: 20, maxFieldSize: 65_536 },
    }),
    answers: { 201: { description: 'The temporary file', schema: UPLOAD_SCHEMA } },
    errors: [
      'missing_file',
      'multiple_files',
      'empty_file',
      'quota_exceeded',
      'unsupported_media_type',
      'validation_error',
      'upload_interrupted',
      'storage_failed',
    ],
    async handle({ context, caller, body }) {
      const received = await receive(media, body, access.principalOf(context, caller))
      return jsonResponse(received, { status: 201 })
    },
  })
}

const FORM_SCHEMA = {
  type: 'object',
  properties: {
    csrf_token: { type: 'string', description: 'Must come before the file' },
    [FIELD]: { type: 'string', contentMediaType: 'application/octet-stream' },
  },
  required: [FIELD],
}

const UPLOAD_SCHEMA = {
  type: 'object',
  properties: {
    url: { type: 'string', description: 'URL of the temporary file. Insert it into the text.' },
    name: { type: 'string', description: 'Name of the file, without a path' },
    type: { type: 'string', description: 'Media type' },
    width: { type: 'integer', minimum: 1, description: 'Width of an image in pixels, if known' },
    height: { type: 'integer', minimum: 1, description: 'Height of an image in pixels, if known' },
  },
  required: ['url', 'name', 'type'],
  additionalProperties: false,
}

async function receive(
  media: UploadServices,
  parts: AsyncIterable<MultipartPart>,
  principal: Principal,
): Promise<UploadResponse> {
  let upload: ReceivedUpload | null = null
  try {
    for await (const part of parts) {
      if (part.kind === 'field') continue
      if (upload) throw editorError('multiple_files', 'The form has several files. Send only one.')
      // If no file was chosen, a browser sends an empty file name.
      if (part.name !== FIELD || part.filename === '') throw missingFile()
      upload = await receiveUpload(media, part, principal)
    }
  } catch (error) {
    await upload?.discard()
    throw error
  }
  // Accepts the file only after the whole form, because an incomplete form must not store a file.
  if (!upload) throw missingFile()
  return upload.accept()
}

function missingFile(): QuillgateError {
  const detail = `The file is missing. Send it in the field "${FIELD}" of a multipart/form-data form.`
  return editorError('missing_file', detail)
}
