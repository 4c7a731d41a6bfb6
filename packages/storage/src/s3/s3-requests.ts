import type * as Sdk from '@aws-sdk/client-s3'
import { importError, isQuillgateError, withTimeout } from '@quillgate/server/core'
import { io } from '../storage-errors.ts'
import type { S3Configuration } from './s3-options.ts'

interface Connection {
  readonly sdk: typeof Sdk
  readonly client: Sdk.S3Client
  /** Signs URLs for browsers. */
  readonly signer: Sdk.S3Client
}

/** Sends a command. */
export type Send = Sdk.S3Client['send']

const ATTEMPTS = 3

// The default of the SDK is 50 connections. With the default, 50 slow readers would block all other
// requests.
const MAX_SOCKETS = 1000

/** Sends requests, each with a time limit. */
export class S3Requests {
  /** The time limit in seconds for the start of a response, and for each pause inside its body. */
  readonly timeout: number
  readonly #options: S3Configuration
  #connection: Promise<Connection> | undefined

  constructor(options: S3Configuration) {
    this.#options = options
    this.timeout = options.timeout
  }

  /**
   * Sends one command within a time limit.
   *
   * @param patience a factor for the timeout; requests that copy objects or join parts are slow
   * @throws QuillgateError `storage_failed` if the service returns an error or does not respond;
   * `driver_missing` if the SDK is not installed
   */
  call<Output>(
    request: (send: Send, sdk: typeof Sdk) => Promise<Output>,
    patience = 1,
  ): Promise<Output> {
    const requestTimeout = this.timeout * patience
    // The SDK limits only the time until a response begins. This limit also covers the rest of the
    // response and the time to fetch credentials.
    const limit = requestTimeout * (ATTEMPTS + 1)
    const deadline = new AbortController()
    const options = { abortSignal: deadline.signal, requestTimeout: requestTimeout * 1000 }
    const answer = async (): Promise<Output> => {
      const { sdk, client } = await this.connect()
      return request(((command: never) => client.send(command, options)) as Send, sdk)
    }
    return io(() =>
      withTimeout(limit, answer(), () => {
        deadline.abort()
        throw new Error(`The S3 service has not answered within ${limit} seconds`)
      }),
    )
  }

  /** Returns the SDK and its clients. The first call loads the SDK. @throws `driver_missing` */
  connect(): Promise<Connection> {
    this.#connection ??= this.#open()
    return this.#connection
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    connection?.client.destroy()
    connection?.signer.destroy()
  }

  async #open(): Promise<Connection> {
    const sdk = await loadSdk()
    const { endpoint, publicEndpoint } = this.#options
    const client = this.#createClient(sdk, endpoint)
    const signer = publicEndpoint === undefined ? client : this.#createClient(sdk, publicEndpoint)
    return { sdk, client, signer }
  }

  #createClient(sdk: typeof Sdk, endpoint: string | undefined): Sdk.S3Client {
    const { region, credentials, forcePathStyle = endpoint !== undefined, timeout } = this.#options
    return new sdk.S3Client({
      ...(endpoint === undefined ? {} : { endpoint, region: 'us-east-1' }),
      ...(region === undefined ? {} : { region }),
      ...(credentials === undefined ? {} : { credentials }),
      forcePathStyle,
      maxAttempts: ATTEMPTS,
      // Old services reject the checksums of the SDK. The signature already covers a SHA-256 hash.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: Math.min(timeout, 10) * 1000,
        requestTimeout: timeout * 1000,
        throwOnRequestTimeout: true,
        httpAgent: { maxSockets: MAX_SOCKETS },
        httpsAgent: { maxSockets: MAX_SOCKETS },
      },
    })
  }
}

/** Returns the HTTP status of a failed request. If there was no response, returns undefined. */
export function statusOf(error: unknown): number | undefined {
  return serviceErrorOf(error).$metadata?.httpStatusCode
}

/** Returns true if an error means that an object is missing. */
export function isMissing(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound'].includes(serviceErrorOf(error).name ?? '')
}

async function loadSdk(): Promise<typeof Sdk> {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (error) {
    throw importError(error, '@aws-sdk/client-s3', 's3()')
  }
}

function serviceErrorOf(error: unknown): Partial<Sdk.S3ServiceException> {
  return (isQuillgateError(error) ? error.cause : error) ?? {}
}
