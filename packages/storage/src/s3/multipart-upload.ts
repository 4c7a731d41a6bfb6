import type { CompletedPart } from '@aws-sdk/client-s3'
import { storageFailed } from '../storage-errors.ts'
import { type S3Bucket, WRITE_TOKEN } from './s3-bucket.ts'
import type { S3Call } from './s3-requests.ts'

/** S3 joins no more parts than these. */
const MAX_PARTS = 10_000

/** Joining or copying takes the service longer than storing a part. */
export const SLOW = 5

/** An object that is put together from parts. Nobody sees it before `complete`. */
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

  /** Begins an object of a media type, with the token of its write. */
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
   * Begins to send a part, when the one before has been sent.
   *
   * @param bytes stay as they are until the next call of any method resolves
   */
  async send(bytes: Uint8Array): Promise<void> {
    await this.#sending
    const input = this.#nextPart()
    this.#sending = this.#bucket.requests
      .call(({ sdk, client, options }) =>
        client.send(new sdk.UploadPartCommand({ ...input, Body: bytes }), options),
      )
      .then(({ ETag }) => this.#add(input.PartNumber, ETag))
    this.#sending.catch(() => {}) // Whoever calls next hears of it.
  }

  /** Has the service copy a range of another object. @param source for `CopySource` @param etag the object must have */
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

  /** Makes the object visible, if its key is free. */
  async complete(): Promise<void> {
    await this.#sending
    const input = { ...this.#target(), MultipartUpload: { Parts: this.#parts } }
    const complete = ({ sdk, client, options }: S3Call, condition: { IfNoneMatch?: '*' }) =>
      client.send(new sdk.CompleteMultipartUploadCommand({ ...input, ...condition }), options)
    await this.#bucket.ifFree('CompleteMultipartUpload', complete, SLOW)
  }

  /**
   * Gives the object up. When that fails too, its parts stay until they are found to be abandoned. Never rejects; after
   * it, a `complete` whose answer was lost has either been carried out or never will be.
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

/** Removes the parts of an upload that will not be completed. */
export async function abortUpload(
  bucket: S3Bucket,
  upload: { Bucket: string; Key: string; UploadId: string },
): Promise<void> {
  await bucket.requests.call(({ sdk, client, options }) =>
    client.send(new sdk.AbortMultipartUploadCommand(upload), options),
  )
}
