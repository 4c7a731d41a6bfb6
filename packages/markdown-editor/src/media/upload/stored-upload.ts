import { type Storage, storageFailed, type WriteResult } from '@quillgate/storage'
import type { ImageSize } from './images/image-meter.ts'
import type { UploadedFile } from './upload-handler.ts'

/** An upload whose bytes are in the storage. */
export interface StoredUpload extends WriteResult, Partial<ImageSize> {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly tempKey: string
}

/** As handlers and scanners see it; its bytes are read from the storage. */
export function toUploadedFile(stored: StoredUpload, storage: Pick<Storage, 'read'>): UploadedFile {
  const { name, type, size, tempKey } = stored
  return {
    name,
    type,
    size,
    ...sizeOf(stored),
    stream: () => ReadableStream.from(bytesOf(storage, tempKey)),
  }
}

/** Width and height of an image whose size is known. */
export function sizeOf({ width, height }: Partial<ImageSize>): Partial<ImageSize> {
  return width === undefined || height === undefined ? {} : { width, height }
}

async function* bytesOf(storage: Pick<Storage, 'read'>, key: string): AsyncGenerator<Uint8Array> {
  const stored = await storage.read(key)
  if (!stored)
    throw storageFailed(
      new Error(`There is no object ${key}`),
      'The uploaded file is no longer in the storage. Send it again.',
    )
  yield* stored.body
}
