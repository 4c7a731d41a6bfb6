import { mediaTypes } from '@quillgate/markdown-editor-element/contract'
import { type QuillgateError, serverError } from '@quillgate/server/core'
import { fileTypeFromBuffer } from 'file-type'
import { editorError } from '../../errors.ts'
import { extensionsOf, isTextType, matchesType } from '../../types/media-types.ts'
import { type Peeked, peek } from './peek.ts'
import { beginsAsText, beginsWithMarkup, textOnly } from './text-content.ts'

/** The number of bytes that `file-type` needs to detect a type. */
const HEAD_BYTES = 4100

/** The number of bytes in which PDF readers look for `%PDF-`. */
const PDF_BYTES = 1024

/** A file from a client. The name and the type are not trusted. */
export interface IncomingFile {
  readonly filename: string
  readonly type: string
  /** The bytes. Reading throws if they exceed `maxUploadSize`. */
  readonly body: AsyncIterable<Uint8Array>
}

/** A file whose first bytes match its type. */
export interface CheckedFile {
  readonly type: string
  /** The file extension, without a dot. */
  readonly extension: string
  /** The bytes. If the type is a text type, but the bytes are not text, reading throws 415. */
  readonly body: AsyncIterable<Uint8Array>
}

type Detected = Omit<CheckedFile, 'body'>

/**
 * Determines the type of a file. The first bytes must match the declared type or, if that is
 * unknown or ambiguous, the type of the name. Otherwise, a file of unknown type gets the type of
 * its content. So does an image, audio or video file that is of the same kind as its declared type.
 * For example, a WebP that was declared as a JPEG is stored as a WebP.
 *
 * @throws QuillgateError 415 `unsupported_media_type` or 400 `empty_file`
 */
export async function checkType(
  file: IncomingFile,
  allowed: readonly string[],
): Promise<CheckedFile> {
  const declared = mediaTypes.toMediaType(file.type) || mediaTypes.UNKNOWN_TYPE
  if (!mediaTypes.mayBeAllowed(file.filename, declared, allowed))
    throw notAllowed(declared, allowed)
  const peeked = await peek(file.body, HEAD_BYTES)
  if (peeked.head.byteLength === 0)
    throw editorError('empty_file', 'The file is empty. Send a file with at least one byte.')
  const detected = await detect(peeked.head)
  const named = mediaTypes.claimedTypes(file.filename, declared)
  const claimed = named.filter((type) => allowed.includes(type))
  // A Markdown file may begin with HTML, even if it is stored as plain text.
  const isMarkdown = named.includes('text/markdown')
  const type = claimed.find((each) => {
    return fits(isMarkdown && each === 'text/plain' ? 'text/markdown' : each, detected, peeked)
  })
  if (type !== undefined) return toChecked(type, detected, peeked)
  if (
    detected &&
    (declared === mediaTypes.UNKNOWN_TYPE || mediaTypes.areAlike(declared, detected.type))
  ) {
    if (allowed.includes(detected.type)) return toChecked(detected.type, detected, peeked)
    throw notAllowed(detected.type, allowed)
  }
  if (claimed[0] !== undefined || declared !== mediaTypes.UNKNOWN_TYPE)
    throw unsupported(
      `The content of the file does not match its type: ${(claimed[0] ?? declared).slice(0, 100)}.`,
    )
  if (named[1] !== undefined) throw notAllowed(named[1], allowed)
  throw unsupported('The type of the file cannot be determined from its name or content.', allowed)
}

function fits(type: string, detected: Detected | null, { head, whole }: Peeked): boolean {
  if (isTextType(type)) return beginsAsText(type, head, whole)
  if (type === 'application/pdf' && detected === null) return isPdf(head)
  return detected !== null && matchesType(type, detected.type)
}

/** Some programs write blank lines, printer commands or headers before `%PDF-`. */
function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, PDF_BYTES)).includes('%PDF-') && !beginsWithMarkup(head)
}

function toChecked(type: string, detected: Detected | null, { head, body }: Peeked): CheckedFile {
  const extension = extensionsOf(type)[0] ?? detected?.extension ?? 'bin'
  return { type, extension, body: isTextType(type) ? textOnly(body, type, head) : body }
}

async function detect(head: Uint8Array): Promise<Detected | null> {
  // Hostile bytes may cause an error in a detector. In this case, the type is unknown.
  const found = await fileTypeFromBuffer(head, { maxBufferSize: HEAD_BYTES }).catch(() => undefined)
  if (!found) return null
  return {
    type: mediaTypes.toMediaType(found.mime),
    extension: found.ext.replaceAll(/[^a-z0-9]/g, '').slice(0, 10),
  }
}

function notAllowed(type: string, allowed: readonly string[]): QuillgateError {
  const problem = `Files of the type ${JSON.stringify(type.slice(0, 100))} are not accepted.`
  return unsupported(problem, allowed)
}

function unsupported(problem: string, allowed: readonly string[] = []): QuillgateError {
  const advice = allowed.length > 0 ? ` Accepted types are: ${allowed.join(', ')}.` : ''
  return serverError('unsupported_media_type', problem + advice)
}
