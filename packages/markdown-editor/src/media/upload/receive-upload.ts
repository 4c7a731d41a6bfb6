import { randomBytes } from 'node:crypto'
import { createMediaId } from '@quillgate/markdown/media-urls'
import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { ConfigurationError } from '@quillgate/server/core'
import { type Storage, storageFailed, type WriteResult } from '@quillgate/storage'
import { editorError } from '../../errors.ts'
import { extensionsOf, isActiveType } from '../../types/media-types.ts'
import { type Medium, withDimensions } from '../ledger/medium.ts'
import type { Principal } from '../ledger/principal.ts'
import { type CheckedFile, checkType, type IncomingFile } from './check-type.ts'
import { toDisplayName, toKeyName } from './file-name.ts'
import type { ImageSize } from './images/image-meter.ts'
import { readImage } from './images/read-image.ts'
import { boundByQuota, quotaExceeded } from './limit-size.ts'
import type { TransformedFile } from './upload-handler.ts'
import type { UploadServices } from './upload-services.ts'

/** An upload whose bytes are stored. The caller must call exactly one of the two methods, once. */
export interface ReceivedUpload {
  /** Calls the upload handler, makes the file temporary and returns its URL. */
  accept(): Promise<UploadResponse>
  /** Removes the bytes and the row of the upload. Never rejects. */
  discard(): Promise<void>
}

/**
 * Checks, cleans, transforms and stores a file. After an error, no bytes remain in the storage. If
 * the process is killed, the sweep finds the row in the state `uploading` and removes the bytes.
 */
export async function receiveUpload(
  services: UploadServices,
  file: IncomingFile,
  principal: Principal,
): Promise<ReceivedUpload> {
  const { settings, handler } = services
  const checked = await checkType(file, settings.allowedUploadTypes)
  const image = readImage(checked.type, checked.body)
  const made = await transform(handler, image ? { ...checked, body: image.body } : checked)
  const id = createMediaId(randomBytes)
  const { type } = made
  const name = toDisplayName(file.filename)
  const extension = type === checked.type ? checked.extension : (extensionsOf(type)[0] ?? 'bin')
  const tempKey = `${settings.tempUploadPath}${id}-${toKeyName(name, type, extension)}`
  const stored = { id, name, type, tempKey }
  try {
    const result = await store(services, stored, principal.owner, made.body)
    const size = made.width === undefined ? (image?.shownSize() ?? {}) : made
    const upload = { ...stored, ...result, ...sizeOf(size) }
    return {
      accept: () => acceptUpload(services, upload, principal),
      discard: () => discardUpload(services, upload),
    }
  } finally {
    await made.close?.()
  }
}

async function transform(
  handler: UploadServices['handler'],
  { type, body }: CheckedFile,
): Promise<TransformedFile> {
  if (!handler.transform) return { type, body }
  const made = await handler.transform({ type, body })
  if (!isActiveType(made.type)) return made
  await made.close?.()
  const problem = 'must not return a file of a type that can run scripts in a page'
  throw new ConfigurationError('transform', problem, made.type)
}

async function store(
  services: UploadServices,
  stored: Pick<Medium, 'id' | 'name' | 'type' | 'tempKey'>,
  owner: string,
  body: AsyncIterable<Uint8Array>,
): Promise<WriteResult> {
  const { ledger, storage, clock, settings } = services
  const { type, tempKey } = stored
  const bounded = await boundByQuota(ledger, settings.ownerQuota, owner, body)
  try {
    await ledger.begin({ ...stored, owner, createdAt: clock() })
    return await storage.write(tempKey, bounded, { type })
  } catch (error) {
    await discardUpload(services, stored)
    throw error
  }
}

/** An upload whose bytes are in the storage. */
interface StoredUpload extends WriteResult, Partial<ImageSize> {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly tempKey: string
}

/** Calls the upload handler. If the handler throws or does not keep the file, removes the file. */
async function acceptUpload(
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
async function discardUpload(
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
function sizeOf({ width, height }: Partial<ImageSize>): Partial<ImageSize> {
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
