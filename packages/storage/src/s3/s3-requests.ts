import type * as Sdk from '@aws-sdk/client-s3'
import { isQuillgateError, loadPackage } from '@quillgate/server/core'
import { storageFailed } from '../storage-errors.ts'
import type { S3Configuration } from './s3-options.ts'

/** The SDK, the client and the options of a request. */
export interface S3Call {
  readonly sdk: typeof Sdk
  readonly client: Sdk.S3Client
  /** To be passed to `client.send`. */
  readonly options: { readonly abortSignal: AbortSignal; readonly requestTimeout?: number }
}

const ATTEMPTS = 3

/** The default of the SDK is 50, so that a few slow readers would block all other requests. */
const MAX_SOCKETS = 1000

/** Sends requests, each with a time limit. */
export class S3Requests {
  readonly #options: S3Configuration
  readonly #timeout: number
  #connection: Promise<Pick<S3Call, 'sdk' | 'client'>> | undefined
  #signer: Sdk.S3Client | undefined

  constructor(options: S3Configuration) {
    this.#options = options
    this.#timeout = options.timeout * 1000
  }

  /** The time limit for the next bytes of a response, in milliseconds. */
  get timeout(): number {
    return this.#timeout
  }

  /**
   * Sends a request.
   *
   * @param patience - a factor for the timeout, for slow requests that copy and join parts
   * @throws QuillgateError `storage_failed` with the error of the service as its cause, also if no
   * attempt got a response; `driver_missing`
   */
  async call<Output>(step: (call: S3Call) => Promise<Output>, patience = 1): Promise<Output> {
    const requestTimeout = this.#timeout * patience
    // The SDK limits the time until a response begins, but not the rest of the response, or
    // fetching credentials.
    const deadline = createDeadline(requestTimeout * (ATTEMPTS + 1))
    try {
      const connection = await this.connect()
      const options = this.#options.client ? {} : { requestTimeout } // The application's client has its own timeout.
      const sent = step({ ...connection, options: { ...options, abortSignal: deadline.signal } })
      return await Promise.race([sent, deadline.passed])
    } catch (error) {
      throw isQuillgateError(error) ? error : storageFailed(error)
    } finally {
      deadline.clear()
    }
  }

  /**
   * Returns the SDK and the client. The first call loads them.
   *
   * @throws QuillgateError `driver_missing`
   */
  connect(): Promise<Pick<S3Call, 'sdk' | 'client'>> {
    this.#connection ??= this.#open()
    return this.#connection
  }

  /**
   * Returns the SDK and a client that signs URLs for browsers.
   *
   * @throws QuillgateError `driver_missing`
   */
  async connectForBrowsers(): Promise<Pick<S3Call, 'sdk' | 'client'>> {
    const { publicEndpoint } = this.#options
    const connection = await this.connect()
    if (publicEndpoint === undefined) return connection
    this.#signer ??= this.#createClient(connection.sdk, publicEndpoint)
    return { ...connection, client: this.#signer }
  }

  async close(): Promise<void> {
    if (this.#options.client) return
    const connection = await this.#connection?.catch(() => undefined)
    connection?.client.destroy()
    this.#signer?.destroy()
  }

  async #open(): Promise<Pick<S3Call, 'sdk' | 'client'>> {
    const sdk = await loadPackage('@aws-sdk/client-s3', 's3()', () => import('@aws-sdk/client-s3'))
    const { client } = this.#options
    return {
      sdk,
      client: client
        ? (client as unknown as Sdk.S3Client)
        : this.#createClient(sdk, this.#options.endpoint),
    }
  }

  #createClient(sdk: typeof Sdk, endpoint: string | undefined): Sdk.S3Client {
    const { region, credentials, forcePathStyle = endpoint !== undefined } = this.#options
    return new sdk.S3Client({
      ...(endpoint === undefined ? {} : { endpoint, region: 'us-east-1' }),
      ...(region === undefined ? {} : { region }),
      ...(credentials === undefined ? {} : { credentials }),
      forcePathStyle,
      maxAttempts: ATTEMPTS,
      // Older services reject the checksums that the SDK adds. The signature already includes the
      // body's SHA-256.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: Math.min(this.#timeout, 10_000),
        requestTimeout: this.#timeout,
        throwOnRequestTimeout: true,
        httpAgent: { maxSockets: MAX_SOCKETS },
        httpsAgent: { maxSockets: MAX_SOCKETS },
      },
    })
  }
}

function createDeadline(milliseconds: number): {
  signal: AbortSignal
  passed: Promise<never>
  clear(): void
} {
  const controller = new AbortController()
  const { promise: passed, reject } = Promise.withResolvers<never>()
  passed.catch(() => {}) // The deadline may pass when it is no longer awaited.
  const timer = setTimeout(() => {
    const error = new Error(`The S3 service has not answered within ${milliseconds / 1000} seconds`)
    reject(error)
    controller.abort(error)
  }, milliseconds)
  return { signal: controller.signal, passed, clear: () => clearTimeout(timer) }
}
