import {
  checks,
  field,
  type Input,
  optional,
  Problem,
  required,
  type Values,
} from '@quillgate/server/core'
import { isStorageKey } from '../storage-key.ts'

/** The credentials of an S3 account. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The token of temporary credentials. */
  readonly sessionToken?: string
  /** The time at which temporary credentials expire. */
  readonly expiration?: Date
}

const MiB = 1024 * 1024

const MAX_PREFIX_BYTES = 120 // Keys of S3 have at most 1,024 bytes, and storage keys at most 900.

/** The checks and the defaults of the options of `s3`. */
export const S3_OPTIONS = {
  // Some services allow more characters than Amazon, such as upper case and "_". No service allows
  // a slash.
  bucket: required(
    checks.matching(
      /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/,
      'must be the name of a bucket',
    ),
  ),
  /**
   * The folder of the bucket for all objects, for example `app/media/`, of at most 120 bytes. By
   * default, the whole bucket is used.
   */
  prefix: optional(prefix),
  /**
   * The region of the bucket. By default, the AWS SDK finds the region in the environment. If there
   * is an `endpoint`, the default is `us-east-1`.
   */
  region: optional(checks.matching(/./s, 'must be a string')),
  /** The URL of a service that is not Amazon's, for example `https://storage.example.com`. */
  endpoint: optional(endpoint),
  /** The URL of the service in signed URLs. Browsers must reach it. The default is `endpoint`. */
  publicEndpoint: optional(endpoint),
  /**
   * The credentials, or a function that returns them. By default, the AWS SDK finds the credentials
   * in environment variables, in the shared configuration or in the role of the machine.
   */
  credentials: optional(credentials),
  /**
   * If true, URLs contain the bucket in the path instead of the host name. The default is true if
   * there is an `endpoint`.
   */
  forcePathStyle: optional(checks.boolean),
  /**
   * The size of a part in bytes. A body up to this size is sent in one request. A larger body is
   * sent in parts. Each upload keeps up to two parts in memory.
   */
  partSize: field(checks.whole(5 * MiB, 512 * MiB, 'bytes'), 8 * MiB),
  /**
   * The maximum time until the response to a request begins, in seconds. A part must be sent within
   * this time, so a slow connection needs a longer time or smaller parts. After three failed
   * attempts, a call fails.
   */
  timeout: field(checks.whole(1, 3600, 'seconds'), 60),
  /** Returns the current time in milliseconds since the epoch. */
  clock: field(checks.functionOf<() => number>(), () => Date.now()),
}

/** Options of `s3`. */
export type S3Options = Input<typeof S3_OPTIONS>

/** Checked options with their defaults. */
export type S3Configuration = Values<typeof S3_OPTIONS>

function prefix(value: unknown): string | Problem {
  const folder = String(value).replace(/\/$/, '')
  const isFolder = isStorageKey(folder) && Buffer.byteLength(folder) < MAX_PREFIX_BYTES
  return typeof value === 'string' && (value === '' || isFolder)
    ? value
    : new Problem('must be a folder such as "app/media/", of at most 120 bytes', value)
}

function endpoint(value: unknown): string | Problem {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash
  // The message omits the value, because it may contain a password.
  return isPlain
    ? String(value)
    : new Problem(
        'must be a URL such as "https://storage.example.com", without credentials or query',
      )
}

function credentials(value: unknown): S3Credentials | (() => Promise<S3Credentials>) | Problem {
  if (typeof value === 'function') return value as () => Promise<S3Credentials>
  const { accessKeyId, secretAccessKey } = (value ?? {}) as Record<string, unknown>
  return [accessKeyId, secretAccessKey].every((key) => typeof key === 'string' && key !== '')
    ? (value as S3Credentials)
    : new Problem(
        'must be { accessKeyId, secretAccessKey }, or a function that returns a promise of this object',
      )
}
