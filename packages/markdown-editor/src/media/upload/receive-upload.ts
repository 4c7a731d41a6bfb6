import { randomBytes } from 'node:crypto'
import { createMediaId } from '@quillgate/markdown/media-urls'
import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { ConfigurationError } from '@quillgate/server/core'
import type { WriteResult } from '@quillgate/storage'
import { extensionsOf, isActiveType } from '../../types/media-types.ts'
import type { Medium } from '../ledger/medium.ts'
import type { Principal } from '../ledger/principal.ts'
import { type CheckedFile, checkType, type IncomingFile } from './check-type.ts'
import { acceptUpload, discardUpload, sizeOf } from './complete-upload.ts'
import { toDisplayName, toKeyName } from './file-name.ts'
import { readImage } from './images/read-image.ts'
import { boundByQuota } from './limit-size.ts'
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
