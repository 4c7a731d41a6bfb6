import { QuillgateError } from '@quillgate/http'
import { fileTypeFromBuffer } from 'file-type'
import { extensionsOf, isTextType, matchesType, toMediaType } from './media-types.ts'
import { peek } from './peek.ts'
import { beginsAsText, textOnly } from './text-content.ts'

/** Enough for every signature that `file-type` knows (its own sample size). */
const HEAD_BYTES = 4100

/** A file whose first bytes are what it claims to be. */
export interface CheckedContent {
  /** Its media type, canonical. */
  readonly type: string
  /** The extension that goes with the type, without a dot. */
  readonly extension: string
  /** All bytes. For text types, reading fails with 415 where they stop being text. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Compares what a client says that a file is with the file itself. Nothing is gathered but the first bytes.
 *
 * @param declared media type as the client sent it
 * @param allowed canonical media types that are accepted
 * @throws QuillgateError 415 `unsupported_media_type` when the type is not allowed or the bytes are not of that type,
 * 400 `empty_file` when there are none
 */
export async function checkContent(
  declared: string,
  body: AsyncIterable<Uint8Array>,
  allowed: readonly string[],
): Promise<CheckedContent> {
  const type = toMediaType(declared)
  if (!allowed.includes(type)) {
    throw unsupported(
      `Files of the type ${JSON.stringify(type.slice(0, 100))} are not accepted. Accepted are: ${allowed.join(', ')}.`,
    )
  }
  const { head, whole, body: all } = await peek(body, HEAD_BYTES)
  if (head.byteLength === 0) throw new QuillgateError('empty_file', 400, 'The file is empty.')
  if (isTextType(type)) {
    if (!beginsAsText(type, head, whole)) throw unsupported(`The file is not what it claims to be: ${type}.`)
    return { type, extension: extensionsOf(type)[0] ?? 'txt', body: textOnly(all, type) }
  }
  const detected = await detect(head)
  if (!detected || !matchesType(type, detected.type)) {
    throw unsupported(`The file is not what it claims to be: ${type}.`)
  }
  return { type, extension: extensionsOf(type)[0] ?? detected.extension, body: all }
}

async function detect(head: Uint8Array): Promise<{ type: string; extension: string } | null> {
  // Hostile bytes may make a detector fail; then they are of no known type.
  const found = await fileTypeFromBuffer(head, { maxBufferSize: HEAD_BYTES }).catch(() => undefined)
  return found
    ? { type: toMediaType(found.mime), extension: found.ext.replaceAll(/[^a-z0-9]/g, '').slice(0, 10) }
    : null
}

function unsupported(detail: string): QuillgateError {
  return new QuillgateError('unsupported_media_type', 415, detail)
}
