import { setTimeout as delay } from 'node:timers/promises'
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3'
import { KeyLocks } from '../key-locks.ts'
import type { StoredObject } from '../storage.ts'
import { storageFailed } from '../storage-errors.ts'
import { isMissing, statusOf } from './s3-errors.ts'
import type { S3Configuration } from './s3-options.ts'
import { type S3Call, S3Requests } from './s3-requests.ts'

/** What the service tells of an object. */
export interface S3Object extends StoredObject {
  readonly type: string
  readonly etag: string
  /** Names the write that stored the object, or the one whose object this is a copy of. */
  readonly writeToken: string | undefined
}

/** Metadata of each object: which write stored it. */
export const WRITE_TOKEN = 'quillgate-write'

/** How often a request is made again that met a deletion of the same key. */
const CONFLICT_RETRIES = 2

/** One bucket, or a folder of it: what all operations on objects share. */
export class S3Bucket {
  readonly requests: S3Requests
  readonly name: string
  /** Folder of all objects; empty, or with its final slash. */
  readonly prefix: string
  /**
   * Not every service knows conditions for every request, and none tells: whoever changes a key looks at it first, and
   * these locks make that exact for one process at least.
   */
  readonly locks: KeyLocks = new KeyLocks()
  readonly #unconditional = new Set<string>()
  #isKnown = false

  constructor(options: S3Configuration) {
    this.requests = new S3Requests(options)
    this.name = options.bucket
    const folder = (options.prefix ?? '').replace(/\/$/, '')
    this.prefix = folder === '' ? '' : `${folder}/`
  }

  /** The bucket and the key under which the service knows an object. */
  at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.name, Key: this.prefix + key }
  }

  /** Tells about an object; null when there is none. */
  async head(key: string): Promise<S3Object | null> {
    try {
      const command = this.at(key)
      const found = await this.requests.call(({ sdk, client, options }) =>
        client.send(new sdk.HeadObjectCommand(command), options),
      )
      return toObject(key, found)
    } catch (error) {
      if (!isMissing(error)) throw error
      await this.#mustBeThere()
      return null
    }
  }

  /**
   * Makes a request on the condition that its key is free, as far as the service knows such conditions.
   *
   * @param name of the request: a service may know the condition for one and not for another
   */
  async ifFree<Output>(
    name: string,
    step: (call: S3Call, condition: { IfNoneMatch?: '*' }) => Promise<Output>,
    patience?: number,
  ): Promise<Output> {
    for (let retry = 0; ; retry++) {
      const condition = this.#unconditional.has(name) ? {} : { IfNoneMatch: '*' as const }
      try {
        return await this.requests.call((call) => step(call, condition), patience)
      } catch (error) {
        const isUnknown = statusOf(error) === 501 && condition.IfNoneMatch !== undefined
        if (isUnknown) this.#unconditional.add(name)
        else if (statusOf(error) !== 409 || retry === CONFLICT_RETRIES) throw error
        else await delay(100 * (retry + 1))
      }
    }
  }

  /** HEAD says 404 for a missing bucket too, and nobody must take all objects for lost then. */
  async #mustBeThere(): Promise<void> {
    if (this.#isKnown) return
    await this.requests
      .call(({ sdk, client, options }) =>
        client.send(new sdk.HeadBucketCommand({ Bucket: this.name }), options),
      )
      .catch((error: unknown) => {
        throw isMissing(error)
          ? storageFailed(new Error(`There is no bucket ${this.name}`, { cause: error }))
          : error
      })
    this.#isKnown = true
  }
}

function toObject(key: string, found: HeadObjectCommandOutput): S3Object {
  const {
    ContentLength: size,
    LastModified: modified,
    ContentType: type,
    ETag: etag,
    Metadata: metadata,
  } = found
  if (size === undefined || modified === undefined || etag === undefined) {
    throw storageFailed(new Error(`The service does not tell size, time and ETag of ${key}`))
  }
  return {
    key,
    size,
    modifiedAt: toSeconds(modified),
    type: type ?? 'application/octet-stream',
    etag,
    writeToken: metadata?.[WRITE_TOKEN],
  }
}

/** HEAD tells whole seconds, listings milliseconds: they shall tell the same. */
export function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}
