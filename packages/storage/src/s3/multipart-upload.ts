import type { CompletedPart } from '@aws-sdk/client-s3'
import { storageFailed } from '../storage-errors.ts'
import { type S3Bucket, WRITE_TOKEN } from './s3-bucket.ts'
import type { S3Call } from './s3-requests.ts'

/** The limit of S3. */
const MAX_PARTS = 10_000

/**
 * The factor for timeouts of requests that join or copy parts, which take longer than storing a
 * part.
 */
export const SLOW = 5

/** An object that is assembled from parts. It is not visible before `complete`. */
export class MultipartUpload {
  readonly #bucket: S3Bucket
  readonly #key: string
  readonly #uploadId: string
  readonly #parts: CompletedPart[] = []
  #sending: Promise<void> = Promise.resolve()

  private constructor(bucket: S3Bucket, key: string, uploadId: string) {
    this.#bucket = bucket
    this.#key = key
    this.#uploadId = uploadId
  }

  /** Begins an upload with a media type and a write token. */
  static async begin(
    bucket: S3Bucket,
    key: string,
    type: string,
    token: string,
  ): Promise<MultipartUpload> {
    const input = { ...bucket.at(key), ContentType: type, Metadata: { [WRITE_TOKEN]: token } }
    const { UploadId: uploadId } = await bucket.requests.call(({ sdk, client, options }) =>
      client.send(new sdk.CreateMultipartUploadCommand(input), options),
    )
    if (!uploadId) throw storageFailed(new Error('The service gave a multipart upload no id'))
    return new MultipartUpload(bucket, key, uploadId)
  }

  /**
   * Begins to send a part after the previous one was sent.
   *
   * @param bytes - must not change until the next call of any method resolves
   */
  async send(bytes: Uint8Array): Promise<void> {
    await this.#sending
    const input = this.#nextPart()
    this.#sending = this.#bucket.requests
      .call(({ sdk, client, options }) =>
        client.send(new sdk.UploadPartCommand({ ...input, Body: bytes }), options),
      )
      .then(({ ETag }) => this.#add(input.PartNumber, ETag))
    this.#sending.catch(() => {}) // The next call awaits it and throws the error.
  }

  /** Adds a range of another object as a part, if that object still has the given ETag. */
  async copy(source: string, etag: string, start: number, end: number): Promise<void> {
    const part = this.#nextPart()
    const input = {
      ...part,
      CopySource: source,
      CopySourceIfMatch: etag,
      CopySourceRange: `bytes=${start}-${end}`,
    }
    const { CopyPartResult: result } = await this.#bucket.requests.call(
      ({ sdk, client, options }) => client.send(new sdk.UploadPartCopyCommand(input), options),
      SLOW,
    )
    this.#add(part.PartNumber, result?.ETag)
  }

  /** Makes the object visible if its key is free. */
  async complete(): Promise<void> {
    await this.#sending
    const input = { ...this.#target(), MultipartUpload: { Parts: this.#parts } }
    const complete = ({ sdk, client, options }: S3Call, condition: { IfNoneMatch?: '*' }) =>
      client.send(new sdk.CompleteMultipartUploadCommand({ ...input, ...condition }), options)
    await this.#bucket.ifFree('CompleteMultipartUpload', complete, SLOW)
  }

  /**
   * Aborts the upload. If that fails, its parts stay until they are abandoned. Never rejects.
   * Afterwards, a `complete` whose response was lost has either succeeded or never will.
   */
  async abort(): Promise<void> {
    await this.#sending.catch(() => {})
    await abortUpload(this.#bucket, this.#target()).catch(() => {})
  }

  #target(): { Bucket: string; Key: string; UploadId: string } {
    return { ...this.#bucket.at(this.#key), UploadId: this.#uploadId }
  }

  #nextPart(): { Bucket: string; Key: string; UploadId: string; PartNumber: number } {
    const number = this.#parts.length + 1
    if (number > MAX_PARTS)
      throw storageFailed(new Error(`More than ${MAX_PARTS} parts: raise s3.partSize`))
    return { ...this.#target(), PartNumber: number }
  }

  #add(PartNumber: number, ETag: string | undefined): void {
    if (!ETag) throw storageFailed(new Error(`The service gave part ${PartNumber} no ETag`))
    this.#parts.push({ PartNumber, ETag })
  }
}

/** Aborts an upload, which removes its parts. */
export async function abortUpload(
  bucket: S3Bucket,
  upload: { Bucket: string; Key: string; UploadId: string },
): Promise<void> {
  await bucket.requests.call(({ sdk, client, options }) =>
    client.send(new sdk.AbortMultipartUploadCommand(upload), options),
  )
}
