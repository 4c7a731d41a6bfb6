import {
  ConfigurationError,
  checkOptions,
  mustBeBoolean,
  mustBeFunction,
  mustBeWhole,
  mustHave,
  type OptionCheck,
} from '@quillgate/server/core'
import { isStorageKey } from '../storage-key.ts'

/** Keys of an S3 account. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken?: string
  /** When temporary credentials end. */
  readonly expiration?: Date
}

/** What {@link S3Options.client} must be: an `S3Client` of `@aws-sdk/client-s3`. */
export interface S3ClientLike {
  send(...args: never[]): Promise<unknown>
  destroy(): void
}

/** Options of `s3`. */
export interface S3Options {
  readonly bucket: string
  /**
   * Folder of the bucket that holds all objects, at most 120 bytes, for example `app/media/`. @default the whole bucket
   */
  readonly prefix?: string
  /** @default `us-east-1` with an `endpoint`, else what the AWS SDK finds in the environment */
  readonly region?: string
  /** Address of a service that is not Amazon's, for example `https://storage.example.com`. */
  readonly endpoint?: string
  /** Where browsers reach the service, for signed URLs, when they cannot reach `endpoint`. @default `endpoint` */
  readonly publicEndpoint?: string
  /** @default what the AWS SDK finds: environment variables, shared configuration, the role of the machine */
  readonly credentials?: S3Credentials | (() => Promise<S3Credentials>)
  /** Puts the bucket into the path instead of the host name. @default true with an `endpoint`, else false */
  readonly forcePathStyle?: boolean
  /**
   * A client of the application's own, in place of `region`, `endpoint`, `publicEndpoint`, `credentials` and
   * `forcePathStyle`. Its retries and timeouts count then, and `close` leaves it alone.
   */
  readonly client?: S3ClientLike
  /**
   * Bytes of a part: a body up to this size is sent in one request, a larger one in parts. Each upload holds up to two
   * parts in memory. From 5 MiB to 512 MiB. @default 8 MiB
   */
  readonly partSize?: number
  /**
   * Seconds until the answer to a request must have begun, from 1 to 3,600. A part must be sent in that time, so it
   * bounds how slow the connection may be. After three tries a call gives up. @default 60
   */
  readonly timeout?: number
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number
}

const MiB = 1024 * 1024

/** Keys of S3 have up to 1,024 bytes and ours up to 900. */
const MAX_PREFIX_BYTES = 120

/** Checks the options. @throws ConfigurationError that names the option */
export function checkS3Options(options: S3Options): void {
  checkOptions(
    options,
    {
      bucket: mustBeBucket,
      prefix: mustBePrefix,
      region: mustBeText,
      endpoint: mustBeEndpoint,
      publicEndpoint: mustBeEndpoint,
      credentials: mustBeCredentials,
      forcePathStyle: mustBeBoolean,
      client: mustHave('send', 'destroy'),
      partSize: mustBeWhole(5 * MiB, 512 * MiB, 'bytes'),
      timeout: mustBeWhole(1, 3600, 'seconds'),
      clock: mustBeFunction,
    },
    ['bucket'],
    's3',
  )
  for (const name of [
    'region',
    'endpoint',
    'publicEndpoint',
    'credentials',
    'forcePathStyle',
  ] as const) {
    if (options.client && options[name] !== undefined) {
      throw new ConfigurationError(
        `s3.${name}`,
        'belongs to the client: leave it out, or leave s3.client out',
      )
    }
  }
}

const mustBeText: OptionCheck = (value, name) => {
  if (typeof value !== 'string' || value === '')
    throw new ConfigurationError(name, 'must be a string', value)
}

// Some services allow more than Amazon (upper case, "_"); none allows what would end the bucket in a path or a URL.
const mustBeBucket: OptionCheck = (value, name) => {
  if (typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/.test(value))
    return
  throw new ConfigurationError(name, 'must be the name of a bucket', value)
}

const mustBePrefix: OptionCheck = (value, name) => {
  const folder = typeof value === 'string' ? value.replace(/\/$/, '') : ''
  if (value === '' || (isStorageKey(folder) && Buffer.byteLength(folder) < MAX_PREFIX_BYTES)) return
  throw new ConfigurationError(
    name,
    'must be a folder such as "app/media/", of at most 120 bytes',
    value,
  )
}

const mustBeEndpoint: OptionCheck = (value, name) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  // The value may hold a password; it is not shown.
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash) return
  throw new ConfigurationError(
    name,
    'must be a URL such as "https://storage.example.com", without credentials or query',
  )
}

const mustBeCredentials: OptionCheck = (value, name) => {
  if (typeof value === 'function') return
  const { accessKeyId, secretAccessKey } = (value ?? {}) as Record<string, unknown>
  if ([accessKeyId, secretAccessKey].every((key) => typeof key === 'string' && key !== '')) return
  throw new ConfigurationError(
    name,
    'must have accessKeyId and secretAccessKey, or be a function that promises them',
  )
}
