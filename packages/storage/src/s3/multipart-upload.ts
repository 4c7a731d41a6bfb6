import type { CompletedPart } from '@aws-sdk/client-s3'
import { type S3Bucket, WRITE_TOKEN } from './s3-bucket.ts'

/** The factor for the timeout of requests that join parts or copy objects. */
export const SLOW = 5

/** An object that is assembled from parts. It is not visible before `complete`. */
export class MultipartUpload {
  readonly #bucket: S3Bucket
  readonly #target: { Bucket: string; Key: string; UploadId: string | undefined }
  readonly #parts: CompletedPart[] = []
  #sending: Promise<void> = Promise.resolve()

  private constructor(bucket: S3Bucket, key: string, uploadId: string | undefined) {
    this.#bucket = bucket
    this.#target = { ...bucket.at(key), UploadId: uploadId }
  }

  static async begin(
    bucket: S3Bucket,
    key: string,
    type: string,
    token: string,
  ): Promise<MultipartUpload> {
    const input = { ...bucket.at(key), ContentType: type, Metadata: { [WRITE_TOKEN]: token } }
    const { UploadId: uploadId } = await bucket.requests.call((send, sdk) =>
      send(new sdk.CreateMultipartUploadCommand(input)),
    )
    return new MultipartUpload(bucket, key, uploadId)
  }

  /** @param bytes must not change until the next call of any method resolves */
  async send(bytes: Uint8Array): Promise<void> {
    await this.#sending
    const PartNumber = this.#parts.length + 1
    const input = { ...this.#target, PartNumber, Body: bytes }
    this.#sending = this.#bucket.requests
      .call((send, sdk) => send(new sdk.UploadPartCommand(input)))
      .then(({ ETag }) => void this.#parts.push({ PartNumber, ETag }))
    this.#sending.catch(() => {}) // The next call awaits it and throws the error.
  }

  /** Makes the object visible if its key is free. */
  async complete(): Promise<void> {
    try {
      await this.#sending
      const input = { ...this.#target, MultipartUpload: { Parts: this.#parts } }
      await this.#bucket.ifFree(
        'CompleteMultipartUpload',
        (send, sdk, condition) =>
          send(new sdk.CompleteMultipartUploadCommand({ ...input, ...condition })),
        SLOW,
      )
    } catch (error) {
      await this.abort()
      throw error
    }
  }

  /**
   * Never rejects. If it fails, `list` removes the parts later. Afterwards, a `complete` whose
   * response was lost has either succeeded or never will.
   */
  async abort(): Promise<void> {
    await this.#sending.catch(() => {})
    await this.#bucket.requests
      .call((send, sdk) => send(new sdk.AbortMultipartUploadCommand(this.#target)))
      .catch(() => {})
  }
}
