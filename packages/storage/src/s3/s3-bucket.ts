import { setTimeout as delay } from 'node:timers/promises'
import type * as Sdk from '@aws-sdk/client-s3'
import { KeyLocks } from '../key-locks.ts'
import type { StoredObject } from '../storage.ts'
import { storageFailed } from '../storage-errors.ts'
import type { S3Configuration } from './s3-options.ts'
import { isMissing, S3Requests, type Send, statusOf } from './s3-requests.ts'

/** The metadata of an object in the service. */
export interface S3Object extends StoredObject {
  readonly etag: string
  /** A random token that identifies a call of `write`. A copy has the token of its source. */
  readonly writeToken: string | undefined
}

/** The factor for the timeout of requests that join parts or copy objects. */
export const SLOW = 5

/** The name of the metadata entry with the write token. */
export const WRITE_TOKEN = 'quillgate-write'

const CONFLICT_RETRIES = 2 // A request may conflict with a deletion of the same key.

/** A bucket or a folder of a bucket, with the requests that several operations use. */
export class S3Bucket {
  readonly requests: S3Requests
  readonly name: string
  /** The folder with a final slash. `''` means the whole bucket. */
  readonly prefix: string
  /**
   * Some services ignore the condition `IfNoneMatch`. So every write first checks whether its key
   * is free. These locks make the check reliable within one process.
   */
  readonly locks: KeyLocks = new KeyLocks()
  readonly #unconditional = new Set<string>()
  #isKnown = false

  constructor(options: S3Configuration) {
    this.requests = new S3Requests(options)
    this.name = options.bucket
    this.prefix = (options.prefix ?? '').replace(/[^/]$/, '$&/')
  }

  at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.name, Key: this.prefix + key }
  }

  async head(key: string): Promise<S3Object | null> {
    try {
      const found = await this.requests.call((send, sdk) =>
        send(new sdk.HeadObjectCommand(this.at(key))),
      )
      return toObject(key, found)
    } catch (error) {
      if (!isMissing(error)) throw error
      await this.#mustExist()
      return null
    }
  }

  /**
   * Makes a request on the condition that its key is free. If the service does not support the
   * condition for a kind of request, makes these requests without it.
   *
   * @param name the kind of request, for example `PutObject`
   * @param patience a factor for the timeout of the request
   */
  async ifFree(
    name: string,
    request: (send: Send, sdk: typeof Sdk, condition: { IfNoneMatch?: '*' }) => Promise<unknown>,
    patience?: number,
  ): Promise<void> {
    for (let retry = 0; ; retry++) {
      const condition = this.#unconditional.has(name) ? {} : { IfNoneMatch: '*' as const }
      try {
        await this.requests.call((send, sdk) => request(send, sdk, condition), patience)
        return
      } catch (error) {
        const isUnknown = statusOf(error) === 501 && condition.IfNoneMatch !== undefined
        if (isUnknown) this.#unconditional.add(name)
        else if (statusOf(error) !== 409 || retry === CONFLICT_RETRIES) throw error
        else await delay(100 * (retry + 1))
      }
    }
  }

  // Throws if the bucket is missing. For an object, HEAD returns 404 for a missing object and also
  // for a missing bucket.
  async #mustExist(): Promise<void> {
    if (this.#isKnown) return
    try {
      await this.requests.call((send, sdk) =>
        send(new sdk.HeadBucketCommand({ Bucket: this.name })),
      )
      this.#isKnown = true
    } catch (error) {
      if (!isMissing(error)) throw error
      throw storageFailed(new Error(`There is no bucket ${this.name}`, { cause: error }))
    }
  }
}

function toObject(key: string, found: Sdk.HeadObjectCommandOutput): S3Object {
  const { ContentLength: size, LastModified: modified, ETag: etag } = found
  if (size === undefined || modified === undefined || etag === undefined)
    throw storageFailed(new Error(`The service did not return the size, time and ETag of ${key}`))
  return {
    key,
    size,
    modifiedAt: toSeconds(modified),
    etag,
    writeToken: found.Metadata?.[WRITE_TOKEN],
  }
}

/** Returns milliseconds, rounded down to seconds, because HEAD returns only whole seconds. */
export function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}
