import { setTimeout as sleep } from 'node:timers/promises'
import type { Storage } from '@quillgate/storage'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import type { Principal } from '../ledger/principal.ts'
import {
  discardUpload,
  type ReceivedUpload,
  type ReceivedUploadOptions,
  receivedUpload,
} from './accept-upload.ts'
import { checkContent } from './content-check.ts'
import { toDisplayName, toKeyName } from './file-name.ts'
import { readImage } from './images/read-image.ts'
import { createQuota, type QuotaLedger } from './quota.ts'
import { sizeOf } from './stored-upload.ts'
import { type TransformedFile, type TransformUpload, transformFile } from './transform.ts'

/** A file as it comes in from a client: name and type are hostile. */
export interface IncomingFile {
  readonly filename: string
  readonly type: string
  /** The bytes, already bounded to the largest size that is accepted. */
  readonly body: AsyncIterable<Uint8Array>
}

/** Takes in files. */
export interface Uploads {
  /**
   * Checks and stores a file as it streams in. What fails leaves nothing behind; when the process
   * is killed, the sweep finds the row `uploading` and removes the bytes.
   *
   * @throws QuillgateError 415 `unsupported_media_type`, 400 `empty_file`, 422 `validation_error`
   * (an image of too many pixels), 413 `quota_exceeded`, 503 `storage_failed`, and what reading the
   * body throws
   */
  receive(file: IncomingFile, principal: Principal): Promise<ReceivedUpload>
}

/** The collaborators of {@link createUploads}. */
export interface UploadsOptions extends ReceivedUploadOptions {
  readonly settings: {
    readonly allowedUploadTypes: readonly string[]
    readonly tempUploadPath: string
    readonly ownerQuota: number | null
  }
  readonly storage: Pick<Storage, 'write' | 'read' | 'remove'>
  readonly ledger: ReceivedUploadOptions['ledger'] & QuotaLedger & Pick<MediaLedger, 'begin'>
  /** Makes an unguessable media id. */
  createId(): string
  /** Makes another file of each, before it is stored; see {@link TransformUpload}. */
  readonly transform?: TransformUpload | undefined
}

/** Creates what takes in files. */
export function createUploads(options: UploadsOptions): Uploads {
  const { settings, storage, ledger, clock } = options
  const quota = createQuota(settings.ownerQuota, ledger)

  return {
    async receive(file, principal) {
      const allowed = settings.allowedUploadTypes
      const checked = await checkContent(file, allowed)
      const image = readImage(checked.type, checked.body)
      const sent = image ? { ...checked, body: image.body } : checked
      const { type, extension, ...made } = await transformFile(options.transform, sent, allowed)
      const name = toDisplayName(file.filename)
      const id = options.createId()
      const tempKey = `${settings.tempUploadPath}${id}-${toKeyName(name, type, extension)}`
      const share = await quota.open(principal.owner).catch(closing(made))
      const begun = ledger.begin({
        id,
        owner: principal.owner,
        name,
        type,
        tempKey,
        createdAt: clock(),
      })
      begun.catch(() => {}) // It is awaited below, at the first byte or when the storage has failed before.
      const stored = { id, name, type, tempKey }
      try {
        const body = startingAfter(begun, share.bound(made.body))
        const result = await storage.write(tempKey, body, { type })
        const size = sizeOf(made.width === undefined ? (image?.shownSize() ?? {}) : made)
        return receivedUpload(options, { ...stored, ...result, ...size }, principal, share)
      } catch (error) {
        share.close()
        await begun.catch(() => {})
        await discardUpload(options, stored)
        throw error
      } finally {
        await made.close?.()
      }
    },
  }
}

/** Returns the same bytes, but none before `done` resolves. Meanwhile the storage can prepare. */
function startingAfter(
  done: Promise<void>,
  body: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = body[Symbol.asyncIterator]()
      return {
        async next() {
          await done
          return chunks.next()
        },
        async return(value?: unknown) {
          return (await chunks.return?.(value)) ?? { done: true, value }
        },
      }
    },
  }
}

/** Passes an error on, after it has let go of the file. */
function closing({ close }: Pick<TransformedFile, 'close'>): (error: unknown) => Promise<never> {
  return async (error) => {
    await close?.()
    throw error
  }
}

/**
 * The longest time in milliseconds for which an answer waits for the sweep. The sweep continues
 * after it.
 */
const LONGEST_WAIT = 1000

/** Sweeps a little while a file streams in. */
export function withSweep(uploads: Uploads, sweepSome: () => Promise<void>): Uploads {
  return {
    async receive(file, principal) {
      const swept = sweepSome()
      const upload = await uploads.receive(file, principal)
      return {
        discard: () => upload.discard(),
        async accept() {
          const answer = await upload.accept()
          await Promise.race([swept, sleep(LONGEST_WAIT, undefined, { ref: false })])
          return answer
        },
      }
    },
  }
}
