import { withDimensions } from '@quillgate/markdown/media-urls'
import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { isQuillgateError } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import { editorError, ValidationError } from '../../errors.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { Principal } from '../ledger/principal.ts'
import type { QuotaShare } from './quota.ts'
import { type StoredUpload, sizeOf, toUploadedFile } from './stored-upload.ts'
import type { BaseUploadHandler, Scan } from './upload-handler.ts'

/**
 * A file whose bytes are stored, in state `uploading`. Exactly one of its methods is called, once.
 */
export interface ReceivedUpload {
  /**
   * Calls the checks of the application and returns the file's URL; the file is temporary from then
   * on. If it fails, nothing is left behind.
   *
   * @throws QuillgateError 422 `validation_error`, 413 `quota_exceeded`
   */
  accept(): Promise<UploadResponse>
  /** Removes the bytes, because the request failed after the file. Never rejects. */
  discard(): Promise<void>
}

/** The collaborators of {@link receivedUpload}. */
export interface ReceivedUploadOptions {
  readonly storage: Pick<Storage, 'read' | 'remove'>
  readonly ledger: Pick<MediaLedger, 'quarantine' | 'forgetUpload' | 'get' | 'giveUp'>
  readonly handler: BaseUploadHandler
  /** Returns the URL of a storage key. */
  buildUrl(key: string): string
  /** Milliseconds since the epoch. */
  clock(): number
  /** Called for each file before the handler; see {@link Scan}. */
  readonly scan?: Scan | undefined
  /** Called if bytes could not be removed; the sweep tries again. */
  onUnexpected?(error: unknown): void
}

/** Creates the rest of an upload whose bytes are stored. */
export function receivedUpload(
  options: ReceivedUploadOptions,
  stored: StoredUpload,
  principal: Principal,
  share: QuotaShare,
): ReceivedUpload {
  return {
    async discard() {
      share.close()
      await discardUpload(options, stored)
    },

    async accept() {
      try {
        const url = await acceptUpload(options, stored, principal, share)
        const { name, type } = stored
        return { url, name, type, ...sizeOf(stored) }
      } catch (error) {
        const isRejected = await discardUpload(options, stored)
        throw isRejected && !isValidationError(error) ? rejected() : error
      } finally {
        share.close()
      }
    },
  }
}

/**
 * Calls scanner and handler, and completes the upload if the handler keeps the file. Returns its
 * URL.
 */
async function acceptUpload(
  options: ReceivedUploadOptions,
  stored: StoredUpload,
  principal: Principal,
  share: QuotaShare,
): Promise<string> {
  const { storage, ledger, handler, clock } = options
  const { id, name, type, size, sha256, tempKey } = stored
  const file = toUploadedFile(stored, storage)
  let quarantined: Promise<void> | null = null
  const quarantine = (): Promise<void> => {
    quarantined ??= ledger.quarantine(id, clock()).then(orInterrupted)
    quarantined.catch(() => {}) // It is awaited below, even if the application does not await it.
    return quarantined
  }
  let isKept = false
  const keep = async (): Promise<string> => {
    isKept = true
    return options.buildUrl(withDimensions(tempKey, stored))
  }
  await options.scan?.(file, { ...principal, id, quarantine })
  await quarantined
  await handler.validate(file)
  // A file that was rejected in the meantime is not passed to the handler.
  if (quarantined) orInterrupted((await ledger.get(id))?.state === 'uploading')
  const url = await handler.save(file, { ...principal, keep })
  await quarantined
  if (isKept) {
    const facts = { name, type, size, checksum: sha256, ...sizeOf(stored) }
    orInterrupted(await share.complete(id, facts, clock()))
  } else if (await discardUpload(options, stored)) {
    throw rejected()
  }
  return url
}

/**
 * Removes what an upload has stored. Never rejects. @returns whether `media.reject` has rejected it
 */
export async function discardUpload(
  options: Pick<ReceivedUploadOptions, 'storage' | 'ledger' | 'clock' | 'onUnexpected'>,
  { id, tempKey }: Pick<StoredUpload, 'id' | 'tempKey'>,
): Promise<boolean> {
  const { storage, ledger, clock } = options
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
    options.onUnexpected?.(error)
  }
  return isRejected
}

/** @throws QuillgateError 503 `upload_interrupted` if the row is no longer `uploading` */
function orInterrupted(isUploading: boolean): void {
  if (!isUploading)
    throw editorError('upload_interrupted', 'The upload took too long. Send the file again.')
}

function rejected(): ValidationError {
  return new ValidationError('The file was refused.')
}

function isValidationError(error: unknown): boolean {
  return isQuillgateError(error) && error.code === 'validation_error'
}
