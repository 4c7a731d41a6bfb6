import { ConfigurationError } from '@quillgate/server/core'
import { extensionsOf } from './media-types.ts'

/**
 * A file on its way to the storage: its content is checked, and its metadata is removed.
 */
export interface FileToTransform {
  /** Its media type, which its first bytes confirm. */
  readonly type: string
  /**
   * Its bytes, to be read once. Reading fails where the file turns out to be none of its type, or
   * too large.
   */
  readonly body: AsyncIterable<Uint8Array>
}

/** The file that is stored instead. */
export interface TransformedFile extends FileToTransform {
  /** The size of a new image as it is shown, in pixels; both or neither. */
  readonly width?: number
  readonly height?: number
  /**
   * Lets go of what the body needs. Called once, when the file is stored or refused, its body read
   * or not.
   */
  close?(): Promise<void>
}

/**
 * Makes another file of an uploaded one, such as a smaller image, before it is stored: name, type,
 * size, checksum, width and height are those of the new one. Return the file itself to leave it
 * unchanged. Throw `ValidationError` (422) to refuse it; nothing is stored then.
 *
 * The type must be one of `allowedUploadTypes`. The new bytes are not checked again.
 */
export type TransformUpload = (file: FileToTransform) => TransformedFile | Promise<TransformedFile>

/** A transformed file, and the extension that goes with its type. */
export interface FileToStore extends TransformedFile {
  /** Without a dot. */
  readonly extension: string
}

/** Applies a transformation. @throws ConfigurationError when it gives a type that is not allowed */
export async function transformFile(
  transform: TransformUpload | undefined,
  file: FileToTransform & { readonly extension: string },
  allowed: readonly string[],
): Promise<FileToStore> {
  const { type, body, extension } = file
  const made: TransformedFile = transform ? await transform({ type, body }) : { type, body }
  if (made.type === type) return toStore(made, extension)
  if (!allowed.includes(made.type)) {
    await made.close?.()
    throw new ConfigurationError(
      'transform',
      'must give files of a type of allowedUploadTypes',
      made.type,
    )
  }
  return toStore(made, extensionsOf(made.type)[0] ?? extension)
}

/**
 * Each member by its name: that of an instance may stand in its class, where a spread does not find
 * it.
 */
function toStore(made: TransformedFile, extension: string): FileToStore {
  const { type, body, width, height } = made
  const size = {
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  }
  return { type, body, extension, ...size, close: async () => made.close?.() }
}
