import { importError, parse } from '@quillgate/server/core'
import type {
  ByteRange,
  SignedUrlOptions,
  Storage,
  StoredBody,
  StoredObject,
  WriteResult,
} from '../storage.ts'
import { io, storageConflict } from '../storage-errors.ts'
import { parseStorageKey, parseStoragePrefix } from '../storage-key.ts'
import { abortAbandoned, listObjects } from './list-objects.ts'
import { readObject } from './read-object.ts'
import { S3Bucket, type S3Object, SLOW } from './s3-bucket.ts'
import { S3_OPTIONS, type S3Configuration, type S3Options } from './s3-options.ts'
import { isMissing } from './s3-requests.ts'
import { writeObject } from './write-object.ts'

/**
 * Creates a storage in a bucket of Amazon S3 or a compatible service. Needs the package
 * `@aws-sdk/client-s3`, and `@aws-sdk/s3-request-presigner` for `signedUrl`. The bucket must exist.
 * No request is sent before the first use.
 *
 * An object never replaces another object, because the service writes it only if the key is free.
 * If a service does not support this condition, the key is checked before the write. Two processes
 * can then write the same key at once. If a process crashes, `list` aborts its upload after a day.
 *
 * @throws ConfigurationError that names the option
 * @example
 * const storage = s3({ bucket: 'media', prefix: 'app/', region: 'eu-central-1' })
 * @example
 * const storage = s3({ bucket: 'media', endpoint: 'https://storage.example.com', credentials: { accessKeyId, secretAccessKey } })
 */
export function s3(options: S3Options): Storage & Required<Pick<Storage, 'signedUrl' | 'close'>> {
  return new S3Storage(parse(S3_OPTIONS, options, 's3'))
}

class S3Storage implements Storage {
  readonly #options: S3Configuration
  readonly #bucket: S3Bucket

  constructor(options: S3Configuration) {
    this.#options = options
    this.#bucket = new S3Bucket(options)
  }

  async write(
    key: string,
    body: AsyncIterable<Uint8Array>,
    { type }: { readonly type: string },
  ): Promise<WriteResult> {
    const target = { key: parseStorageKey(key), type, partSize: this.#options.partSize }
    return writeObject(this.#bucket, target, body)
  }

  async read(key: string, range?: ByteRange): Promise<StoredBody | null> {
    return readObject(this.#bucket, parseStorageKey(key), range)
  }

  async stat(key: string): Promise<StoredObject | null> {
    const object = await this.#bucket.head(parseStorageKey(key))
    return object && { key, size: object.size, modifiedAt: object.modifiedAt }
  }

  async copy(from: string, to: string): Promise<boolean> {
    return copyObject(this.#bucket, parseStorageKey(from), parseStorageKey(to))
  }

  async remove(key: string): Promise<boolean> {
    const target = this.#bucket.at(parseStorageKey(key))
    // Checks first, because the response to a deletion does not show whether the object existed.
    if (!(await this.#bucket.head(key))) return false
    await this.#bucket.requests.call((send, sdk) => send(new sdk.DeleteObjectCommand(target)))
    return true
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    parseStoragePrefix(prefix)
    await abortAbandoned(this.#bucket, prefix, this.#options.clock())
    yield* listObjects(this.#bucket, prefix)
  }

  async signedUrl(key: string, options: SignedUrlOptions): Promise<string> {
    const input = {
      ...this.#bucket.at(parseStorageKey(key)),
      ResponseContentType: options.type,
      ResponseContentDisposition: options.disposition,
    }
    const { expiresIn } = options
    const signingDate = new Date(this.#options.clock())
    const { sdk, signer } = await this.#bucket.requests.connect()
    const { getSignedUrl } = await loadPresigner()
    // `getSignedUrl` fails if the credentials are missing or cannot be fetched.
    return io(() =>
      getSignedUrl(signer, new sdk.GetObjectCommand(input), { expiresIn, signingDate }),
    )
  }

  close(): Promise<void> {
    return this.#bucket.requests.close()
  }
}

async function loadPresigner(): Promise<typeof import('@aws-sdk/s3-request-presigner')> {
  try {
    return await import('@aws-sdk/s3-request-presigner')
  } catch (error) {
    throw importError(error, '@aws-sdk/s3-request-presigner', 's3().signedUrl')
  }
}

/** Copies an object of at most 5 GiB. If a target of the same size exists, does nothing. */
async function copyObject(bucket: S3Bucket, from: string, to: string): Promise<boolean> {
  const source = await bucket.head(from)
  if (!source) return false
  return bucket.locks.run(to, async () => {
    if (await isCopied(bucket, source, to)) return true
    try {
      await copyTo(bucket, source, to)
      return true
    } catch (error) {
      // Another call may have been faster, or only the response to this call was lost.
      if (await isCopied(bucket, source, to)) return true
      if (isMissing(error)) return false
      throw error
    }
  })
}

async function isCopied(bucket: S3Bucket, source: S3Object, to: string): Promise<boolean> {
  const target = await bucket.head(to)
  if (target && target.size !== source.size) throw storageConflict(to)
  return target !== null
}

function copyTo(bucket: S3Bucket, { key, etag }: S3Object, to: string): Promise<void> {
  const { Bucket, Key } = bucket.at(key)
  const input = {
    ...bucket.at(to),
    CopySource: [Bucket, ...Key.split('/')].map(encodeURIComponent).join('/'),
    CopySourceIfMatch: etag,
  }
  return bucket.ifFree(
    'CopyObject',
    (send, sdk, condition) => send(new sdk.CopyObjectCommand({ ...input, ...condition })),
    SLOW,
  )
}
