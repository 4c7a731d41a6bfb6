import type { Principal } from '../ledger/principal.ts'

/** A file that is uploaded and stored, but not accepted yet. */
export interface UploadedFile {
  /** The file name from the sender, without a path. It is untrusted text. */
  readonly name: string
  /** The media type. It matches the first bytes of the file, or `transform` returned it. */
  readonly type: string
  readonly size: number
  /** Width of an image as displayed, in pixels. Undefined if unknown. */
  readonly width?: number
  readonly height?: number
  /** Returns the bytes, each time from the start. Read each stream to its end, or cancel it. */
  stream(): ReadableStream<Uint8Array>
}

/** The uploader (`owner` and `user`), and the function that keeps the file. */
export interface UploadContext extends Principal {
  readonly id: string
  /**
   * Keeps the stored bytes, and returns their temporary URL. After `save` resolves, they become a
   * temporary file, unless the owner's files then exceed `ownerQuota`.
   */
  keep(): Promise<string>
}

/** The user who finalizes a text, and the function that makes a file permanent. */
export interface FinalizeContext extends Principal {
  /** Makes the file permanent, and returns its URL. If the file no longer exists, returns null. */
  promote(): Promise<string | null>
}

/** A file before it is stored. Its type is checked. An image no longer has metadata. */
export interface FileToTransform {
  /** The media type. It matches the first bytes of the file. */
  readonly type: string
  /** The bytes, which can be read once. Reading throws if the size or the type is not allowed. */
  readonly body: AsyncIterable<Uint8Array>
}

/** The result of `transform`: the file that is stored instead of the uploaded file. */
export interface TransformedFile extends FileToTransform {
  /** The width of a new image in pixels, after EXIF rotation. If you set it, set `height` too. */
  readonly width?: number
  readonly height?: number
  /** Releases resources of the body. Called once, after the file is stored or rejected. */
  close?(): Promise<void>
}

/**
 * Replaces an uploaded file before it is stored, for example with a smaller image. To keep the file
 * unchanged, return it. To reject the file, throw `ValidationError` (422). The new bytes are not
 * checked again.
 */
export type TransformUpload = (file: FileToTransform) => TransformedFile | Promise<TransformedFile>

/**
 * Decides whether uploads are accepted, and where they are stored. Before `validate` is called, the
 * editor limits and checks the bytes and stores a copy, which the handler can keep.
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
   * Stores a file and returns its URL. Call `context.keep()`, or copy the file to your own storage.
   * If you do not call `keep`, the editor deletes its copy. The editor never finalizes or deletes
   * your copy.
   */
  abstract save(file: UploadedFile, context: UploadContext): Promise<string>
}

/** An upload handler with the optional methods `transform` and `finalize`. */
export type UploadHandler = BaseUploadHandler & {
  readonly transform?: TransformUpload
  /**
   * Called for each temporary file in a text. Up to eight calls run at the same time. Returns the
   * new URL for the text. If it returns null, the file is listed as missing.
   */
  finalize?(tempUrl: string, context: FinalizeContext): Promise<string | null>
}

/**
 * Stores files in the storage of the editor. A file is temporary until a text with its URL is
 * finalized.
 */
export class DefaultUploadHandler extends BaseUploadHandler {
  override async save(_file: UploadedFile, context: UploadContext): Promise<string> {
    const advice = 'To store a file from server code, call editor.media.add(file, { owner }).'
    return given(context, 'save', advice).keep()
  }

  /** Makes a temporary file permanent. Returns its URL, or null if the file no longer exists. */
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
