import { randomBytes } from 'node:crypto'
import { createMediaId } from '@quillgate/markdown/media-urls'
import { ConfigurationError } from '@quillgate/server/core'
import { extensionsOf } from '../../types/media-types.ts'
import type { Principal } from '../ledger/principal.ts'
import type { MediaServices } from '../services.ts'
import { discardUpload, ReceivedUpload, sizeOf } from './complete-upload.ts'
import { checkContent } from './content-check.ts'
import { toDisplayName, toKeyName } from './file-name.ts'
import { readImage } from './images/read-image.ts'
import { Quota } from './owner-quota.ts'
import type { FileToTransform, TransformedFile } from './upload-handler.ts'

/** A file of a client: name and type are hostile. */
export interface IncomingFile {
  readonly filename: string
  readonly type: string
  /** The bytes, already bounded to `maxUploadSize`. */
  readonly body: AsyncIterable<Uint8Array>
}

/** The collaborators of {@link Uploads}. */
export interface UploadServices
  extends Pick<MediaServices, 'storage' | 'ledger' | 'handler' | 'clock' | 'logger'> {
  readonly settings: Pick<
    MediaServices['settings'],
    'allowedUploadTypes' | 'tempUploadPath' | 'ownerQuota'
  >
  readonly urls: Pick<MediaServices['urls'], 'build'>
  /** Called when an upload begins; its answer waits for it a second at most. Never rejects. */
  readonly whileUploading?: () => Promise<void>
}

/** Receives files: check, clean, transform, store; `ReceivedUpload` then accepts them. */
export class Uploads {
  readonly #services: UploadServices
  readonly #quota: Quota

  constructor(services: UploadServices) {
    this.#services = services
    this.#quota = new Quota(services.settings.ownerQuota, services.ledger)
  }

  /**
   * Checks and stores a file as it streams in. What fails leaves nothing behind; if the process is
   * killed, the sweep finds the row `uploading` and removes the bytes.
   *
   * @throws QuillgateError 415 `unsupported_media_type`, 400 `empty_file`, 422 `validation_error`
   * (an image of too many pixels), 413 `quota_exceeded`, 503 `storage_failed`, and what reading the
   * body throws
   */
  async receive(file: IncomingFile, principal: Principal): Promise<ReceivedUpload> {
    const { settings, storage, ledger, clock, whileUploading } = this.#services
    const swept = whileUploading?.()
    const checked = await checkContent(file, settings.allowedUploadTypes)
    const image = readImage(checked.type, checked.body)
    const { extension, ...made } = await this.#transform(
      image ? { ...checked, body: image.body } : checked,
    )
    const { type } = made
    const name = toDisplayName(file.filename)
    const id = createMediaId(randomBytes)
    const tempKey = `${settings.tempUploadPath}${id}-${toKeyName(name, type, extension)}`
    const { owner } = principal
    const share = await this.#quota.open(owner).catch(async (error) => {
      await made.close()
      throw error
    })
    const begun = ledger.begin({ id, owner, name, type, tempKey, createdAt: clock() })
    begun.catch(() => {}) // It is awaited below, at the first byte or when the storage has failed before.
    const stored = { id, name, type, tempKey }
    try {
      const body = startingAfter(begun, share.bound(made.body))
      const result = await storage.write(tempKey, body, { type })
      const size = sizeOf(made.width === undefined ? (image?.shownSize() ?? {}) : made)
      const upload = { ...stored, ...result, ...size }
      return new ReceivedUpload(this.#services, upload, principal, share, swept)
    } catch (error) {
      share.close()
      await begun.catch(() => {})
      await discardUpload(this.#services, stored)
      throw error
    } finally {
      await made.close()
    }
  }

  /** Applies the handler's `transform`. @throws ConfigurationError for a type that is not allowed */
  async #transform(file: FileToTransform & { readonly extension: string }): Promise<FileToStore> {
    const { handler, settings } = this.#services
    const { type, body, extension } = file
    const made: TransformedFile = handler.transform
      ? await handler.transform({ type, body })
      : { type, body }
    // Each member by its name: a spread does not find those of a class.
    const { width, height } = made
    const size = width === undefined || height === undefined ? {} : { width, height }
    const store = { type: made.type, body: made.body, ...size, close: async () => made.close?.() }
    if (made.type === type) return { ...store, extension }
    if (settings.allowedUploadTypes.includes(made.type))
      return { ...store, extension: extensionsOf(made.type)[0] ?? extension }
    await made.close?.()
    const problem = 'must give files of a type of allowedUploadTypes'
    throw new ConfigurationError('transform', problem, made.type)
  }
}

interface FileToStore extends TransformedFile {
  /** Without a dot. */
  readonly extension: string
  close(): Promise<void>
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
