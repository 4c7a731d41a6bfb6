import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { type Storage, storageFailed, type WriteResult } from '@quillgate/storage'
import { editorError } from '../../errors.ts'
import { withDimensions } from '../ledger/medium.ts'
import type { Principal } from '../ledger/principal.ts'
import type { ImageSize } from './images/image-meter.ts'
import type { OwnerQuota } from './owner-quota.ts'
import type { UploadedFile } from './upload-handler.ts'
import type { UploadServices } from './uploads.ts'

/** An upload whose bytes are in the storage. */
export interface StoredUpload extends WriteResult, Partial<ImageSize> {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly tempKey: string
}

/**
 * A file whose bytes are stored, in state `uploading`. Exactly one of its methods is called, once.
 */
export class ReceivedUpload {
  readonly #services: UploadServices
  readonly #stored: StoredUpload
  readonly #principal: Principal
  readonly #quota: OwnerQuota

  constructor(
    services: UploadServices,
    stored: StoredUpload,
    principal: Principal,
    quota: OwnerQuota,
  ) {
    this.#services = services
    this.#stored = stored
    this.#principal = principal
    this.#quota = quota
  }

  /**
   * Calls the upload handler and returns the file's URL; the file is temporary from then on. If it
   * fails, nothing is left behind.
   *
   * @throws QuillgateError 422 `validation_error`, 413 `quota_exceeded`
   */
  async accept(): Promise<UploadResponse> {
    try {
      const url = await this.#askHandler()
      const { name, type } = this.#stored
      return { url, name, type, ...sizeOf(this.#stored) }
    } catch (error) {
      await this.discard()
      throw error
    }
  }

  /** Removes the bytes, because the request failed after the file. Never rejects. */
  discard(): Promise<void> {
    return discardUpload(this.#services, this.#stored)
  }

  /** Completes the upload if the handler keeps the file. Returns its URL. */
  async #askHandler(): Promise<string> {
    const { storage, handler, urls, clock } = this.#services
    const { id, name, type, size, sha256, tempKey } = this.#stored
    const file = toUploadedFile(this.#stored, storage)
    let isKept = false
    const keep = async (): Promise<string> => {
      isKept = true
      return urls.build(withDimensions(tempKey, this.#stored))
    }
    const context = { ...this.#principal, id }
    await handler.validate(file, context)
    const url = await handler.save(file, { ...context, keep })
    if (!isKept) {
      await this.discard()
      return url
    }
    const facts = { name, type, size, checksum: sha256, ...sizeOf(this.#stored) }
    if (await this.#quota.complete(id, facts, clock())) return url
    throw editorError('upload_interrupted', 'The upload took too long. Send the file again.')
  }
}

/** Removes what an upload has stored. Never rejects. */
export async function discardUpload(
  { storage, ledger, clock, logger }: UploadServices,
  { id, tempKey }: Pick<StoredUpload, 'id' | 'tempKey'>,
): Promise<void> {
  try {
    await ledger.giveUp(id, 'uploading', 'upload_failed', clock())
    const medium = await ledger.get(id)
    // `complete` may have succeeded although its answer was lost; then the file stays, and the
    // sweep finds it. Without a row, the sweep has treated this upload as interrupted.
    if (medium && medium.state !== 'deleting' && medium.state !== 'deleted') return
    await storage.remove(tempKey)
    await ledger.forgetUpload(id)
  } catch (error) {
    logger.error(`The upload ${id} could not be removed; the sweep will try again.`, error)
  }
}

/** Returns width and height if they are known. */
export function sizeOf({ width, height }: Partial<ImageSize>): Partial<ImageSize> {
  return width === undefined || height === undefined ? {} : { width, height }
}

function toUploadedFile(stored: StoredUpload, storage: Pick<Storage, 'read'>): UploadedFile {
  const { name, type, size, tempKey } = stored
  const stream = () => ReadableStream.from(bytesOf(storage, tempKey))
  return { name, type, size, ...sizeOf(stored), stream }
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
