import type { Principal } from '../ledger/principal.ts'

/** A file that was uploaded and stored, and that waits for its approval. */
export interface UploadedFile {
  /** The name given by the sender, without a path. It is hostile text. */
  readonly name: string
  /** Its media type, which its first bytes confirm. */
  readonly type: string
  /** Number of bytes. */
  readonly size: number
  /** Width and height in pixels of an image as it is shown, if known. */
  readonly width?: number
  readonly height?: number
  /** Its bytes; may be called several times. The stream must be read to its end or cancelled. */
  stream(): ReadableStream<Uint8Array>
}

/** The uploader (`owner` and `user`), and the functions of the editor for a handler. */
export interface UploadContext extends Principal {
  /** Media id. */
  readonly id: string
  /**
   * Asks for the stored bytes to be kept as a temporary file of the owner, when `save` resolves.
   *
   * @returns its URL
   */
  keep(): Promise<string>
}

/** The user who finalizes, and the functions of the editor for a handler. */
export interface FinalizeContext extends Principal {
  /**
   * Makes the file permanent; can be repeated.
   *
   * @returns its permanent URL; null when it is gone, because it expired or its bytes are lost
   */
  promote(): Promise<string | null>
}

/** A file on its way to the storage: its content is checked, and its metadata is removed. */
export interface FileToTransform {
  /** Its media type, which its first bytes confirm. */
  readonly type: string
  /**
   * Its bytes, to be read once. Reading fails where the file turns out to be of another type, or
   * too large.
   */
  readonly body: AsyncIterable<Uint8Array>
}

/** The result of `transform`: the file that is stored instead of the uploaded one. */
export interface TransformedFile extends FileToTransform {
  /** The size of a new image as it is shown, in pixels; both or neither. */
  readonly width?: number
  readonly height?: number
  /** Releases what the body needs. Called once, when the file is stored or refused. */
  close?(): Promise<void>
}

/**
 * Replaces an uploaded file before it is stored, for example by a smaller image: type, size,
 * checksum, width and height are those of the new one. Return the file itself to leave it
 * unchanged. Throw `ValidationError` (422) to refuse it; nothing is stored then.
 *
 * The new bytes are not checked again.
 */
export type TransformUpload = (file: FileToTransform) => TransformedFile | Promise<TransformedFile>

/**
 * Decides whether uploads are accepted, and where they are stored. The editor first reads, limits,
 * checks and stores the bytes; then it calls the handler.
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
   * Looks at a file before it gets a URL, for example with a virus scanner. The upload waits for it.
   *
   * @throws ValidationError to refuse it; its text is shown to the sender (422 `validation_error`)
   * @example
   * async validate(file) {
   *   if (await isInfected(file.stream())) throw new ValidationError('This file has a virus.')
   * }
   */
  validate(_file: UploadedFile, _upload: Omit<UploadContext, 'keep'>): void | Promise<void> {}

  /**
   * Stores a file and returns its URL: either by `context.keep()`, or in a storage of the handler's
   * own. Then the editor removes its bytes, and neither finalizes nor cleans up that URL.
   */
  abstract save(file: UploadedFile, context: UploadContext): Promise<string>
}

/** A handler with its optional methods. */
export type UploadHandler = BaseUploadHandler & {
  readonly transform?: TransformUpload
  /**
   * Called for our temporary files in a text, up to eight at the same time. Returns the new URL for
   * the text; null lists the old one as missing.
   */
  finalize?(tempUrl: string, context: FinalizeContext): Promise<string | null>
}

/**
 * Stores files in the editor's storage: temporary at first, permanent when a text that is saved
 * references them.
 */
export class DefaultUploadHandler extends BaseUploadHandler {
  override async save(_file: UploadedFile, context: UploadContext): Promise<string> {
    return given(
      context,
      'save',
      'To store a file from server code, call editor.media.add(file, { owner }).',
    ).keep()
  }

  /**
   * Makes a temporary file permanent. Called for up to eight files of a text at the same time.
   *
   * @returns its permanent URL; null when it is gone
   */
  async finalize(_tempUrl: string, context: FinalizeContext): Promise<string | null> {
    return given(
      context,
      'finalize',
      'To finalize a text, call editor.finalize(text, { owner }).',
    ).promote()
  }
}

function given<Context>(context: Context | undefined, method: string, advice: string): Context {
  if (context !== undefined) return context
  throw new TypeError(
    `DefaultUploadHandler.${method} needs the context that the editor gives to it. ${advice}`,
  )
}
