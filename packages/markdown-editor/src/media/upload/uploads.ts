import { isQuillgateError, QuillgateError, ValidationError } from '@quillgate/http'
import type { UploadResponse } from '../../contract/wire.ts'
import type { Storage, WriteResult } from '../../storage/storage.ts'
import type { MediaLedger } from '../ledger/media-ledger.ts'
import { checkContent } from './content-check.ts'
import { toDisplayName, toKeyName } from './file-name.ts'
import type { ImageSize } from './images/image-meter.ts'
import { type ReadImageOptions, readImage } from './images/read-image.ts'
import { createQuota, type QuotaLedger, type QuotaShare } from './quota.ts'
import { type TransformedFile, type TransformUpload, transformFile } from './transform.ts'
import type { BaseUploadHandler, Scan, UploadContext, UploadedFile } from './upload-handler.ts'

/** A file as it comes in from a client: name and type are hostile. */
export interface IncomingFile {
  readonly filename: string
  readonly type: string
  /** The bytes, already bounded to the largest size that is accepted. */
  readonly body: AsyncIterable<Uint8Array>
}

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

/** Takes in files. */
export interface Uploads {
  /**
   * Checks and stores a file as it streams in. What fails leaves nothing behind; when the process is killed, the sweep
   * finds the row `uploading` and removes the bytes.
   *
   * @throws QuillgateError 415 `unsupported_media_type`, 400 `empty_file`, 422 `validation_error` (an image of too many
   * pixels), 413 `quota_exceeded`, 503 `storage_failed`, and what reading the body throws
   */
  receive(file: IncomingFile, uploader: Uploader): Promise<ReceivedUpload>
}

/** Who uploads. */
export type Uploader = Pick<UploadContext, 'owner' | 'user'>

/** What {@link createUploads} needs. */
export interface UploadsOptions {
  readonly settings: ReadImageOptions & {
    readonly allowedUploadTypes: readonly string[]
    readonly tempUploadPath: string
    readonly ownerQuota: number | null
  }
  readonly storage: Pick<Storage, 'write' | 'read' | 'remove'>
  readonly ledger: QuotaLedger & Pick<MediaLedger, 'begin' | 'hold' | 'forgetUpload' | 'get' | 'giveUp'>
  readonly handler: BaseUploadHandler
  /** Makes the URL of a storage key. */
  buildUrl(key: string): string
  /** Makes an unguessable media id. */
  createId(): string
  /** Milliseconds since the epoch. */
  clock(): number
  /** Looks at each file before the handler does; see {@link Scan}. */
  readonly scan?: Scan
  /** Makes another file of each, before it is stored; see {@link TransformUpload}. */
  readonly transform?: TransformUpload
  /** Hears of bytes that could not be removed; the sweep tries again. */
  onUnexpected?(error: unknown): void
}

/** Creates what takes in files. */
export function createUploads(options: UploadsOptions): Uploads {
  const { settings, storage, ledger, clock } = options
  const quota = createQuota(settings.ownerQuota, ledger)

  return {
    async receive(file, uploader) {
      const allowed = settings.allowedUploadTypes
      const checked = await checkContent(file.type, file.body, allowed)
      const image = readImage(checked.type, checked.body, settings)
      const sent = image ? { ...checked, body: image.body } : checked
      const { type, extension, ...made } = await transformFile(options.transform, sent, allowed)
      const name = toDisplayName(file.filename)
      const id = options.createId()
      const tempKey = `${settings.tempUploadPath}${id}-${toKeyName(name, type, extension)}`
      const share = await quota.open(uploader.owner).catch(closing(made))
      const begun = ledger.begin({ id, owner: uploader.owner, name, type, tempKey, createdAt: clock() })
      begun.catch(() => {}) // It is awaited below, at the first byte or when the storage has failed before.
      const stored = { id, name, type, tempKey }
      try {
        const body = startingAfter(begun, share.bound(made.body))
        const result = await storage.write(tempKey, body, { type })
        return received(
          { ...stored, ...result, ...sizeOf(made.width === undefined ? (image?.shownSize() ?? {}) : made) },
          uploader,
          share,
        )
      } catch (error) {
        share.close()
        await begun.catch(() => {})
        await discard(stored)
        throw error
      } finally {
        await made.close?.()
      }
    },
  }

  function received(stored: StoredUpload, uploader: Uploader, share: QuotaShare): ReceivedUpload {
    return {
      async discard() {
        share.close()
        await discard(stored)
      },
      async accept() {
        const file = toUploadedFile(stored, storage)
        let kept = false
        let holding: Promise<void> | null = null
        const hold = (): Promise<void> => {
          holding ??= holdBack(stored.id)
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
          if (holding) await requireUnderWay(stored.id)
          const url = await options.handler.save(file, { ...uploader, keep })
          await holding
          if (kept) await complete(stored, share)
          else if (await discard(stored)) throw rejected()
          return { url, name: stored.name, type: stored.type, ...sizeOf(stored) }
        } catch (error) {
          const isRejected = await discard(stored)
          throw isRejected && !isValidationError(error) ? rejected() : error
        } finally {
          share.close()
        }
      },
    }
  }

  async function holdBack(id: string): Promise<void> {
    if (!(await ledger.hold(id, clock()))) throw interrupted()
  }

  /** What was rejected meanwhile does not go to the handler. */
  async function requireUnderWay(id: string): Promise<void> {
    if ((await ledger.get(id))?.state !== 'uploading') throw interrupted()
  }

  async function complete(stored: StoredUpload, share: QuotaShare): Promise<void> {
    const { id, name, type, size, sha256 } = stored
    const facts = { name, type, size, checksum: sha256, ...sizeOf(stored) }
    if (!(await share.complete(id, facts, clock()))) throw interrupted()
  }

  /** Removes what there is of an upload. Never rejects. @returns whether `media.reject` has refused it */
  async function discard({ id, tempKey }: Pick<StoredUpload, 'id' | 'tempKey'>): Promise<boolean> {
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
}

function interrupted(): QuillgateError {
  return new QuillgateError('upload_interrupted', 503, 'The upload took too long: send the file again.')
}

function rejected(): ValidationError {
  return new ValidationError('The file was refused.')
}

function isValidationError(error: unknown): boolean {
  return isQuillgateError(error) && error.code === 'validation_error'
}

interface StoredUpload extends WriteResult, Partial<ImageSize> {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly tempKey: string
}

/** The same bytes, but none before something else is done, while the storage already makes ready for them. */
function startingAfter(done: Promise<void>, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
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

function toUploadedFile(stored: StoredUpload, storage: Pick<Storage, 'read'>): UploadedFile {
  const { name, type, size, tempKey } = stored
  return { name, type, size, ...sizeOf(stored), stream: () => ReadableStream.from(bytesOf(storage, tempKey)) }
}

/** Passes an error on, after it has let go of the file. */
function closing({ close }: Pick<TransformedFile, 'close'>): (error: unknown) => Promise<never> {
  return async (error) => {
    await close?.()
    throw error
  }
}

/** Width and height of an image whose size is known. */
function sizeOf({ width, height }: Partial<ImageSize>): Partial<ImageSize> {
  return width === undefined || height === undefined ? {} : { width, height }
}

async function* bytesOf(storage: Pick<Storage, 'read'>, key: string): AsyncGenerator<Uint8Array> {
  const stored = await storage.read(key)
  if (!stored) throw new QuillgateError('storage_failed', 503, 'The uploaded file is not in the storage any more.')
  yield* stored.body
}
