import { setTimeout as sleep } from 'node:timers/promises'
import { withDimensions } from '@quillgate/markdown/media-urls'
import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { isQuillgateError } from '@quillgate/server/core'
import { type Storage, storageFailed, type WriteResult } from '@quillgate/storage'
import { editorError, ValidationError } from '../../errors.ts'
import type { Principal } from '../ledger/principal.ts'
import type { ImageSize } from './images/image-meter.ts'
import type { QuotaShare } from './owner-quota.ts'
import type { UploadedFile } from './upload-handler.ts'
import type { UploadServices } from './uploads.ts'

/** An upload whose bytes are in the storage. */
export interface StoredUpload extends WriteResult, Partial<ImageSize> {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly tempKey: string
}

/** The longest time in milliseconds for which an answer waits for the sweep. */
const MAX_WAIT = 1000

/**
 * A file whose bytes are stored, in state `uploading`. Exactly one of its methods is called, once.
 */
export class ReceivedUpload {
  readonly #services: UploadServices
  readonly #stored: StoredUpload
  readonly #principal: Principal
  readonly #share: QuotaShare
  readonly #swept: Promise<void> | undefined

  constructor(
    services: UploadServices,
    stored: StoredUpload,
    principal: Principal,
    share: QuotaShare,
    swept?: Promise<void>,
  ) {
    this.#services = services
    this.#stored = stored
    this.#principal = principal
    this.#share = share
    this.#swept = swept
  }

  /**
   * Calls the upload handler and returns the file's URL; the file is temporary from then on. If it
   * fails, nothing is left behind.
   *
   * @throws QuillgateError 422 `validation_error`, 413 `quota_exceeded`
   */
  async accept(): Promise<UploadResponse> {
    const url = await this.#accept()
    if (this.#swept) await Promise.race([this.#swept, sleep(MAX_WAIT, undefined, { ref: false })])
    const { name, type } = this.#stored
    return { url, name, type, ...sizeOf(this.#stored) }
  }

  /** Removes the bytes, because the request failed after the file. Never rejects. */
  async discard(): Promise<void> {
    this.#share.close()
    await discardUpload(this.#services, this.#stored)
  }

  async #accept(): Promise<string> {
    try {
      return await this.#askHandler()
    } catch (error) {
      const isRejected = await discardUpload(this.#services, this.#stored)
      const isRefused = isQuillgateError(error) && error.code === 'validation_error'
      throw isRejected && !isRefused ? rejected() : error
    } finally {
      this.#share.close()
    }
  }

  /** Completes the upload if the handler keeps the file. Returns its URL. */
  async #askHandler(): Promise<string> {
    const { storage, ledger, handler, urls, clock } = this.#services
    const { id, name, type, size, sha256, tempKey } = this.#stored
    const file = toUploadedFile(this.#stored, storage)
    let quarantined: Promise<void> | null = null
    const quarantine = (): Promise<void> => {
      quarantined ??= ledger.quarantine(id, clock()).then(orInterrupted)
      quarantined.catch(() => {}) // It is awaited below, even if the application does not await it.
      return quarantined
    }
    let isKept = false
    const keep = async (): Promise<string> => {
      isKept = true
      return urls.build(withDimensions(tempKey, this.#stored))
    }
    const context = { ...this.#principal, id, quarantine }
    await handler.validate(file, context)
    await quarantined
    // A file that was rejected in the meantime is not passed on.
    if (quarantined) orInterrupted((await ledger.get(id))?.state === 'uploading')
    const url = await handler.save(file, { ...context, keep })
    await quarantined
    if (isKept) {
      const facts = { name, type, size, checksum: sha256, ...sizeOf(this.#stored) }
      orInterrupted(await this.#share.complete(id, facts, clock()))
    } else if (await discardUpload(this.#services, this.#stored)) {
      throw rejected()
    }
    return url
  }
}

/**
 * Removes what an upload has stored. Never rejects. @returns whether `media.reject` has rejected it
 */
export async function discardUpload(
  { storage, ledger, clock, logger }: UploadServices,
  { id, tempKey }: Pick<StoredUpload, 'id' | 'tempKey'>,
): Promise<boolean> {
  let isRejected = false
  try {
    await ledger.giveUp(id, 'uploading', 'upload_failed', clock())
    const medium = await ledger.get(id)
    isRejected = medium?.reason === 'rejected'
    // `complete` may have succeeded although its answer was lost; then the file stays, and the
    // sweep finds it. Without a row, the sweep has treated this upload as interrupted.
    if (medium && medium.state !== 'deleting' && medium.state !== 'deleted') return false
    await storage.remove(tempKey)
    await ledger.forgetUpload(id)
  } catch (error) {
    logger.error(`The upload ${id} could not be removed; the sweep will try again.`, error)
  }
  return isRejected
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

function orInterrupted(isUploading: boolean): void {
  if (!isUploading)
    throw editorError('upload_interrupted', 'The upload took too long. Send the file again.')
}

function rejected(): ValidationError {
  return new ValidationError('The file was refused.')
}
