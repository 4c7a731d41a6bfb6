import type { UploadResponse } from '@quillgate/markdown-editor-element/contract'
import { isQuillgateError, type QuillgateError } from '@quillgate/server/core'
import type { Storage } from '@quillgate/storage'
import { editorError, ValidationError } from '../../errors.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { QuotaShare } from './quota.ts'
import { type StoredUpload, sizeOf, toUploadedFile } from './stored-upload.ts'
import type { BaseUploadHandler, Scan, UploadContext } from './upload-handler.ts'

/** A file whose bytes are stored, in state `uploading`. Exactly one of its methods is called, once. */
export interface ReceivedUpload {
  /**
   * Asks the checks of the application and gives the file its URL: it is temporary from then on. What fails leaves
   * nothing behind.
   *
   * @throws QuillgateError 422 `validation_error`, 413 `quota_exceeded`
   */
  accept(): Promise<UploadResponse>
  /** Removes the bytes: the request was broken after the file. Never rejects. */
  discard(): Promise<void>
}

/** Who uploads. */
export type Uploader = Pick<UploadContext, 'owner' | 'user'>

/** What {@link receivedUpload} needs. */
export interface ReceivedUploadOptions {
  readonly storage: Pick<Storage, 'read' | 'remove'>
  readonly ledger: Pick<MediaLedger, 'hold' | 'forgetUpload' | 'get' | 'giveUp'>
  readonly handler: BaseUploadHandler
  /** Makes the URL of a storage key. */
  buildUrl(key: string): string
  /** Milliseconds since the epoch. */
  clock(): number
  /** Looks at each file before the handler does; see {@link Scan}. */
  readonly scan?: Scan
  /** Hears of bytes that could not be removed; the sweep tries again. */
  onUnexpected?(error: unknown): void
}

/** What is still to be done with an upload whose bytes are stored. */
export function receivedUpload(
  options: ReceivedUploadOptions,
  stored: StoredUpload,
  uploader: Uploader,
  share: QuotaShare,
): ReceivedUpload {
  const { storage, ledger, clock } = options

  const holdBack = async (): Promise<void> => {
    if (!(await ledger.hold(stored.id, clock()))) throw interrupted()
  }

  /** What was rejected meanwhile does not go to the handler. */
  const requireUnderWay = async (): Promise<void> => {
    if ((await ledger.get(stored.id))?.state !== 'uploading') throw interrupted()
  }

  const complete = async (): Promise<void> => {
    const { id, name, type, size, sha256 } = stored
    const facts = { name, type, size, checksum: sha256, ...sizeOf(stored) }
    if (!(await share.complete(id, facts, clock()))) throw interrupted()
  }

  return {
    async discard() {
      share.close()
      await discardUpload(options, stored)
    },

    async accept() {
      const file = toUploadedFile(stored, storage)
      let kept = false
      let holding: Promise<void> | null = null
      const hold = (): Promise<void> => {
        holding ??= holdBack()
        holding.catch(() => {}) // It is awaited below, also where the application does not.
        return holding
      }
      const keep = async (): Promise<string> => {
        kept = true
        return options.buildUrl(stored.tempKey)
      }
      try {
        await options.scan?.(file, { ...uploader, id: stored.id, hold })
        await holding
        await options.handler.validate(file)
        if (holding) await requireUnderWay()
        const url = await options.handler.save(file, { ...uploader, keep })
        await holding
        if (kept) await complete()
        else if (await discardUpload(options, stored)) throw rejected()
        return { url, name: stored.name, type: stored.type, ...sizeOf(stored) }
      } catch (error) {
        const isRejected = await discardUpload(options, stored)
        throw isRejected && !isValidationError(error) ? rejected() : error
      } finally {
        share.close()
      }
    },
  }
}

/** Removes what there is of an upload. Never rejects. @returns whether `media.reject` has refused it */
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
    // `complete` may have been done although its answer was lost; the file then lives on, and the sweep finds it. No
    // row at all: the sweep took this upload for broken off.
    if (medium && medium.state !== 'deleting' && medium.state !== 'deleted') return false
    await storage.remove(tempKey)
    await ledger.forgetUpload(id)
  } catch (error) {
    options.onUnexpected?.(error)
  }
  return isRejected
}

function interrupted(): QuillgateError {
  return editorError('upload_interrupted', 'The upload took too long. Send the file again.')
}

function rejected(): ValidationError {
  return new ValidationError('The file was refused.')
}

function isValidationError(error: unknown): boolean {
  return isQuillgateError(error) && error.code === 'validation_error'
}
