import { finished } from 'node:stream/promises'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { isQuillgateError, type QuillgateError, serverError } from '../../core/errors.ts'
import { AsyncQueue } from '../async-queue.ts'
import { mediaType } from '../body.ts'
import { type BodySource, readBody } from '../body-source.ts'
import { ChunkReader } from '../chunk-reader.ts'

/** The limits of a form. A form is rejected as soon as it exceeds a limit. */
export interface MultipartLimits {
  /** The maximum size of a file in bytes. */
  readonly maxFileSize: number
  readonly maxFiles: number
  readonly maxFields: number
  /** The maximum size of the value of a field in bytes. */
  readonly maxFieldSize: number
  /** The maximum size of the form in bytes. By default, it is computed from the other limits. */
  readonly maxSize?: number
}

const MAX_HEADERS = 32
const MAX_HEADER_BYTES = 16 * 1024
const MAX_OVERHEAD = MAX_HEADER_BYTES + 1024 // The headers and the boundary of a part.

const MAX_PIECE = 64 * 1024 // The maximum number of bytes that are written to the parser at once.

// busboy hangs if one write fills the buffer of a skipped part and also ends this part. So the
// buffer is larger than the largest write. busboy empties the buffer between writes.
const PARSER_BUFFER = 2 * MAX_PIECE

/**
 * Reads a `multipart/form-data` body (RFC 7578) part by part. Only fields are kept in memory.
 * Unread bytes of a file are skipped when the next part is read. Leaving the `for await` loop ends
 * reading.
 *
 * A file is complete only after its `body` has ended. The form is complete only after the loop has
 * ended. Until then, treat all data as temporary.
 *
 * @throws QuillgateError from the loop, or from a file's `body`: 415 `unsupported_media_type` for
 * another content type; 400 `malformed_multipart` for a malformed or incomplete form; 413
 * `file_too_large`, `field_too_large`, `too_many_parts` or `body_too_large` as soon as the form
 * exceeds a limit; 500 `body_already_read`
 */
export async function* readMultipart(
  request: Request,
  limits: MultipartLimits,
): AsyncGenerator<MultipartPart> {
  const parser = createParser(request.headers.get('content-type'), limits)
  const body = readBody(request)
  const form = new Form(() => void body.return())
  const onAbort = (): void => form.fail(new Error('The client disconnected.'))
  request.signal.addEventListener('abort', onAbort)
  listen(parser, form, limits)
  feed(parser, body, form, limits.maxSize ?? maxFormSize(limits)).catch(form.fail)
  try {
    for await (const { part, file } of form.parts) {
      yield part
      if (file) await skipRest(file)
    }
  } finally {
    request.signal.removeEventListener('abort', onAbort)
    form.close()
  }
}

interface FoundPart {
  readonly part: MultipartPart
  readonly file?: BusboyFileStream
}

/** The state of a form. After an error, `parts` yields the earlier parts and then throws. */
class Form {
  readonly parts = new AsyncQueue<FoundPart>()
  readonly #files = new Set<BusboyFileStream>()
  readonly #stopReading: () => void
  #state: 'open' | 'failed' | 'finished' = 'open'

  /** @param stopReading called when the form fails or is closed */
  constructor(stopReading: () => void) {
    this.#stopReading = stopReading
  }

  get isFailed(): boolean {
    return this.#state === 'failed'
  }

  add(found: FoundPart): void {
    if (this.#state === 'open') this.parts.push(found)
  }

  /** Registers a file, so that it ends when the form fails. */
  watch(file: BusboyFileStream): void {
    this.#files.add(file)
    file.on('error', this.fail).on('end', () => this.#files.delete(file))
  }

  readonly fail = (error: unknown): void => {
    if (this.#state !== 'open') return
    this.#state = 'failed'
    const failure = toMultipartError(error)
    for (const file of this.#files) file.destroy(failure)
    this.#stopReading()
    this.parts.fail(failure)
  }

  readonly finish = (): void => {
    if (this.#state !== 'open') return
    this.#state = 'finished'
    this.parts.end()
  }

  /** If the form was not read to its end, fails. Otherwise, ignores bytes after the form. */
  close(): void {
    if (this.#state === 'open') this.fail(new Error('The form was not read to its end.'))
    else this.#stopReading()
  }
}

async function skipRest(file: BusboyFileStream): Promise<void> {
  if (file.readableEnded || file.destroyed) return
  file.resume()
  await finished(file).catch(() => {}) // The form fails with the same error.
}

function createParser(contentType: string | null, limits: MultipartLimits): BusboyInstance {
  if (contentType === null || mediaType(contentType) !== 'multipart/form-data') {
    throw serverError('unsupported_media_type', 'Send the form as multipart/form-data.')
  }
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      highWaterMark: PARSER_BUFFER,
      fileHwm: PARSER_BUFFER,
      limits: {
        fileSize: limits.maxFileSize,
        files: limits.maxFiles,
        fields: limits.maxFields,
        fieldSize: limits.maxFieldSize,
        parts: limits.maxFiles + limits.maxFields,
        headerPairs: MAX_HEADERS,
        headerSize: MAX_HEADER_BYTES,
      },
    })
  } catch (error) {
    throw toMultipartError(error) // The content type has no boundary.
  }
}

function listen(
  parser: BusboyInstance,
  form: Form,
  { maxFiles, maxFileSize, maxFields, maxFieldSize }: MultipartLimits,
): void {
  const tooMany = `The form has too many fields or files. At most ${maxFields} fields and ${maxFiles} files are allowed.`
  const rejectMore = (): void => form.fail(serverError('too_many_parts', tooMany))
  parser.on('filesLimit', rejectMore).on('fieldsLimit', rejectMore).on('partsLimit', rejectMore)
  parser.on('field', (name, value, _nameTruncated, truncated) => {
    if (truncated)
      form.fail(serverError('field_too_large', `A field is larger than ${maxFieldSize} bytes.`))
    else if (name === undefined) form.fail(new Error('A field has no name.'))
    else form.add({ part: { kind: 'field', name, value } })
  })
  parser.on('file', (name, file, filename, _encoding, type) => {
    form.watch(file)
    // At the limit, busboy ends the file without an error and emits this event.
    file.on('limit', () =>
      form.fail(serverError('file_too_large', `A file is larger than ${maxFileSize} bytes.`)),
    )
    if (name === undefined) form.fail(new Error('A file has no name.'))
    else {
      const body = readFile(file)
      form.add({ part: { kind: 'file', name, filename: filename ?? '', type, body }, file })
    }
  })
  // busboy emits `finish` at the closing delimiter, even if the body continues. It also emits
  // `finish` after an error.
  parser.on('error', form.fail).on('finish', form.finish)
}

async function feed(
  parser: BusboyInstance,
  body: BodySource,
  form: Form,
  most: number,
): Promise<void> {
  let left = most
  for (let chunk = await body.next(); !chunk.done && !form.isFailed; chunk = await body.next()) {
    left -= chunk.value.byteLength
    if (left < 0) throw serverError('body_too_large', `The form is larger than ${most} bytes.`)
    for (let start = 0; start < chunk.value.byteLength && !form.isFailed; start += MAX_PIECE) {
      await new Promise((taken) =>
        parser.write(chunk.value.subarray(start, start + MAX_PIECE), taken),
      )
    }
  }
  if (!form.isFailed) parser.end()
}

/** Returns the size limit of a form in bytes. It also limits the text outside of the parts. */
function maxFormSize(limits: MultipartLimits): number {
  const { maxFiles, maxFileSize, maxFields, maxFieldSize } = limits
  return maxFiles * (maxFileSize + MAX_OVERHEAD) + maxFields * (maxFieldSize + MAX_OVERHEAD)
}

/** One part of a form. */
export type MultipartPart = MultipartField | MultipartFile

interface MultipartField {
  readonly kind: 'field'
  readonly name: string
  readonly value: string
}

/** A file in a multipart form. */
export interface MultipartFile {
  readonly kind: 'file'
  readonly name: string
  /** The untrusted file name in UTF-8, without directories. It can be empty. */
  readonly filename: string
  /** The untrusted media type in lower case, without parameters. */
  readonly type: string
  /** The bytes. They can be read once. They are received only as fast as they are read. */
  readonly body: AsyncIterable<Uint8Array>
}

async function* readFile(file: BusboyFileStream): AsyncGenerator<Uint8Array> {
  const chunks = new ChunkReader(file)
  try {
    yield* chunks
  } catch (error) {
    throw toMultipartError(error)
  } finally {
    await chunks.return()
  }
}

function toMultipartError(error: unknown): QuillgateError {
  if (isQuillgateError(error)) return error
  return serverError('malformed_multipart', 'The form is malformed or incomplete. Send it again.', {
    cause: error,
  })
}
