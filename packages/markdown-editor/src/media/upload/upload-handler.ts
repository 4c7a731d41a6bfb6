import type { Principal } from '../ledger/principal.ts'

/** A file that was uploaded and stored, but is not accepted yet. */
export interface UploadedFile {
  /** The file name from the sender, without a path. It is untrusted text. */
  readonly name: string
  /** Its media type, which its first bytes confirm. */
  readonly type: string
  readonly size: number
  /** Width and height of an image as displayed, in pixels; undefined if unknown. */
  readonly width?: number
  readonly height?: number
  /** Can be called several times. The caller must read the stream to its end or cancel it. */
  stream(): ReadableStream<Uint8Array>
}

/** The uploader (`owner` and `user`), and the functions of the editor for a handler. */
export interface UploadContext extends Principal {
  readonly id: string
  /** Keeps the stored bytes as a temporary file when `save` resolves. Returns its URL. */
  keep(): Promise<string>
}

/** The user who finalizes, and the functions of the editor for a handler. */
export interface FinalizeContext extends Principal {
  /** Makes the file permanent. Can be repeated. Returns null if the file expired or was lost. */
  promote(): Promise<string | null>
}

/** A file before it is stored. Its content is checked, and its metadata is removed. */
export interface FileToTransform {
  /** Its media type, which its first bytes confirm. */
  readonly type: string
  /** Can be read once. Reading throws if the file is too large or of another type. */
  readonly body: AsyncIterable<Uint8Array>
}

/** The result of `transform`: the file that is stored instead of the uploaded one. */
export interface TransformedFile extends FileToTransform {
  /** The size of a new image as displayed, in pixels. Set both or neither. */
  readonly width?: number
  readonly height?: number
  /** Releases resources of the body. It is called once, after the file is stored or rejected. */
  close?(): Promise<void>
}

/**
 * Replaces an uploaded file before it is stored, for example with a smaller image. Return the given
 * file to leave it unchanged. Throw `ValidationError` (422) to reject it. The new bytes are not
 * checked again.
 */
export type TransformUpload = (file: FileToTransform) => TransformedFile | Promise<TransformedFile>

/**
 * Decides whether uploads are accepted, and where they are stored. Before the handler is called,
 * the editor limits and checks the bytes and stores a copy, which the handler can keep.
 *
 * @example
 * class NoHugePictures extends DefaultUploadHandler {
 *   override validate(file: UploadedFile) {
 *     if (file.type.startsWith('image/') && file.size > 2e6) throw new ValidationError('Pictures have at most 2 MB.')
 *   }
 * }
 */
export abstract class BaseUploadHandler {
  /**
   * Validates a file before it gets a URL, for example with a virus scanner.
   *
   * @throws ValidationError to reject the file; its message is shown to the sender
   * @example
   * async validate(file) {
   *   if (await isInfected(file.stream())) throw new ValidationError('This file has a virus.')
   * }
   */
  validate(_file: UploadedFile, _upload: Omit<UploadContext, 'keep'>): void | Promise<void> {}

  /**
   * Stores a file and returns its URL: with `context.keep()`, or in your own storage. If you do not
   * call `keep`, the editor deletes its own copy, and neither finalizes nor deletes your copy.
   */
  abstract save(file: UploadedFile, context: UploadContext): Promise<string>
}

/** A handler with its optional methods. */
export type UploadHandler = BaseUploadHandler & {
  readonly transform?: TransformUpload
  /**
   * Called for the temporary files in a text, for up to eight files at the same time. Returns the
   * new URL for the text; null to list the file as missing.
   */
  finalize?(tempUrl: string, context: FinalizeContext): Promise<string | null>
}

/** Stores files in the storage of the editor: temporary at first, permanent when finalized. */
export class DefaultUploadHandler extends BaseUploadHandler {
  override async save(_file: UploadedFile, context: UploadContext): Promise<string> {
    const advice = 'To store a file from server code, call editor.media.add(file, { owner }).'
    return given(context, 'save', advice).keep()
  }

  /** Makes a temporary file permanent. Returns its URL; null if the file no longer exists. */
  async finalize(_tempUrl: string, context: FinalizeContext): Promise<string | null> {
    const advice = 'To finalize a text, call editor.finalize(text, { owner }).'
    return given(context, 'finalize', advice).promote()
  }
}

function given<Context>(context: Context | undefined, method: string, advice: string): Context {
  if (context !== undefined) return context
  throw new TypeError(
    `DefaultUploadHandler.${method} needs the context that the editor passes to it. ${advice}`,
  )
}
