import type { EditorUser } from '../ledger/principal.ts'

/** A file that was uploaded and stored, and that waits for its approval. */
export interface UploadedFile {
  /** The name given by the sender, without a path. It is hostile text. */
  readonly name: string
  /** Its media type, which its first bytes confirm. */
  readonly type: string
  /** Number of bytes. */
  readonly size: number
  /** Width in pixels of an image as it is shown, where it could be read. */
  readonly width?: number
  /** Height in pixels of an image as it is shown, where it could be read. */
  readonly height?: number
  /** Its bytes; may be called several times. The stream must be read to its end or cancelled. */
  stream(): ReadableStream<Uint8Array>
}

/** The uploader, and the functions of the editor for a handler. */
export interface UploadContext {
  /** `user:<id>` or `anon:<session>`. */
  readonly owner: string
  /** Null for an anonymous session. */
  readonly user: EditorUser | null
  /**
   * Asks for the stored bytes to be kept as a temporary file of the owner, once `save` is through.
   *
   * @returns its URL
   */
  keep(): Promise<string>
}

/**
 * Looks at a file before it gets its URL, such as a virus scanner. It throws `ValidationError` to
 * refuse the file; after `upload.quarantine()` the file is kept, but answers 404 until
 * `media.release` or `media.reject`, for scanners that take time.
 *
 * @example
 * scan: async (file, upload) => {
 *   await upload.quarantine()
 *   await queue.add('scan', { id: upload.id })
 * }
 */
export type Scan = (file: UploadedFile, upload: ScannedUpload) => void | Promise<void>

/** Which upload is scanned. */
export interface ScannedUpload extends Pick<UploadContext, 'owner' | 'user'> {
  /** Media id, for `media.release` and `media.reject`. */
  readonly id: string
  /**
   * Puts the file into quarantine. `media.release` and `media.reject` may be called as soon as this
   * resolves, also while the upload still runs.
   *
   * @throws QuillgateError 503 `upload_interrupted` when the upload has ended
   */
  quarantine(): Promise<void>
}

/** The user who finalizes, and the functions of the editor for a handler. */
export interface FinalizeContext {
  readonly owner: string
  readonly user: EditorUser | null
  /**
   * Makes the file permanent; can be repeated.
   *
   * @returns its permanent URL; null when it is gone, because it expired or its bytes are lost
   */
  promote(): Promise<string | null>
}

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
   * Looks at a file before it gets a URL.
   *
   * @throws ValidationError to refuse it; its text is shown to the sender (422 `validation_error`)
   */
  validate(_file: UploadedFile): void | Promise<void> {}

  /**
   * Stores a file and gives its URL. Either by `context.keep()`, or somewhere of the handler's own:
   * then the editor removes its bytes, and neither finalizes nor cleans up that URL.
   */
  abstract save(file: UploadedFile, context: UploadContext): Promise<string>
}

/**
 * A handler. If it has `finalize`, this is called for our temporary files in a text, up to eight at
 * the same time. It returns the new URL for the text; null lists the old one as missing.
 */
export type UploadHandler = BaseUploadHandler & {
  finalize?(tempUrl: string, context: FinalizeContext): Promise<string | null>
}

/**
 * Stores files in the editor's storage: temporary at first, permanent once a text that is saved
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

/** @throws TypeError where a handler is called without the context that the editor gives it */
function given<Context>(context: Context | undefined, method: string, advice: string): Context {
  if (context !== undefined) return context
  throw new TypeError(
    `DefaultUploadHandler.${method} needs the context that the editor gives to it. ${advice}`,
  )
}
