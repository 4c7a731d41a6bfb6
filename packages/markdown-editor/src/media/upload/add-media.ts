import { mediaTypes, type UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { invalidRequest, type QuillgateError } from '@quillgate/server/core'
import type { Principal } from '../ledger/principal.ts'
import { limitSize } from './limit-size.ts'
import { receiveUpload } from './receive-upload.ts'
import type { UploadServices } from './upload-services.ts'

/** A file that server code stores: a web `File`, or any object with these members. */
export interface FileToAdd {
  /** The file name that readers see. */
  readonly name: string
  /** Media type. Omit it, or pass `''`, if it is unknown. */
  readonly type?: string
  /** Returns the bytes. Called once. The stream is read to its end or canceled. */
  stream(): ReadableStream<Uint8Array>
}

/** Implements `EditorMedia.add`. */
export async function addMedia(
  services: UploadServices,
  file: FileToAdd,
  principal: Principal,
): Promise<UploadResponse> {
  const described = describe(file)
  const reader = readerOf(file)
  try {
    const body = limitSize(chunksOf(reader), services.settings.maxUploadSize)
    const upload = await receiveUpload(services, { ...described, body }, principal)
    return await upload.accept()
  } finally {
    await reader.cancel().catch(() => {}) // If the stream failed, its error was already thrown.
  }
}

function describe(file: FileToAdd): { filename: string; type: string } {
  const given: Partial<FileToAdd> | null | undefined = file
  if (typeof given?.stream !== 'function' || typeof given.name !== 'string' || given.name === '')
    throw invalidFile('must be a File, or an object { name, type, stream() } with a name')
  if (given.type !== undefined && typeof given.type !== 'string')
    throw invalidFile('must have a string as type')
  return { filename: given.name, type: given.type || mediaTypes.UNKNOWN_TYPE }
}

function readerOf(file: FileToAdd): ReadableStreamDefaultReader<Uint8Array> {
  const stream = file.stream()
  // The value may be a Node.js stream, which the caller can convert with `Readable.toWeb`.
  if (typeof stream?.getReader !== 'function')
    throw invalidFile('must return a web ReadableStream from stream()')
  return stream.getReader()
}

async function* chunksOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    if (!(value instanceof Uint8Array)) throw invalidFile('must have a stream of Uint8Array')
    yield value
  }
}

function invalidFile(problem: string): QuillgateError {
  return invalidRequest(`The file given to editor.media.add ${problem}.`)
}
