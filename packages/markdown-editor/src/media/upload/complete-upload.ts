import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { type Storage, storageFailed, type WriteResult } from '@quillgate/storage'
import { editorError } from '../../errors.ts'
import { withDimensions } from '../ledger/medium.ts'
import type { Principal } from '../ledger/principal.ts'
import type { ImageSize } from './images/image-meter.ts'
import { quotaExceeded } from './limit-size.ts'
import type { UploadServices } from './upload-services.ts'

/** An upload whose bytes are in the storage. */
export interface StoredUpload extends WriteResult, Partial<ImageSize> {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly tempKey: string
}

/** Calls the upload handler. If the handler throws or does not keep the file, removes the file. */
export async function acceptUpload(
  services: UploadServices,
  stored: StoredUpload,
  principal: Principal,
): Promise<UploadResponse> {
  try {
    const url = await callHandler(services, stored, principal)
    return { url, name: stored.name, type: stored.type, ...sizeOf(stored) }
  } catch (error) {
    await discardUpload(services, stored)
    throw error
  }
}

async function callHandler(
  services: UploadServices,
  stored: StoredUpload,
  principal: Principal,
): Promise<string> {
  const { storage, handler, urls, clock, ledger, settings } = services
  const { id, name, type, size, sha256, tempKey } = stored
  const stream = () => ReadableStream.from(bytesOf(storage, tempKey))
  const file = { name, type, size, ...sizeOf(stored), stream }
  let isKept = false
  const keep = async (): Promise<string> => {
    isKept = true
    return urls.build(withDimensions(tempKey, stored))
  }
  const context = { ...principal, id }
  await handler.validate(file, context)
  const url = await handler.save(file, { ...context, keep })
  if (!isKept) {
    await discardUpload(services, stored)
    return url
  }
  const limit = settings.ownerQuota
  const facts = { name, type, size, checksum: sha256, ...sizeOf(stored) }
  const completion = await ledger.complete(id, facts, clock(), limit)
  if (completion === 'completed') return url
  if (completion === 'exceeded') throw quotaExceeded(limit)
  throw editorError('upload_interrupted', 'The upload took too long. Send the file again.')
}

/** Removes the bytes and the row of an upload. Never rejects. */
export async function discardUpload(
  { storage, ledger, clock, logger }: UploadServices,
  { id, tempKey }: Pick<StoredUpload, 'id' | 'tempKey'>,
): Promise<void> {
  try {
    await ledger.giveUp(id, 'uploading', clock())
    const medium = await ledger.get(id)
    // `complete` may have succeeded although its result was lost. In this case, the file is kept
    // until it expires. If there is no row, a sweep has already removed the upload.
    if (medium && medium.state !== 'deleting' && medium.state !== 'deleted') return
    await storage.remove(tempKey)
    await ledger.forgetUpload(id)
  } catch (error) {
    logger.error(`The upload ${id} could not be removed. The next sweep will try again.`, error)
  }
}

/** Returns the width and height, or an empty object if they are not known. */
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
