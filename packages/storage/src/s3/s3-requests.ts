import type * as Sdk from '@aws-sdk/client-s3'
import { isQuillgateError, loadPackage } from '@quillgate/server/core'
import { storageFailed } from '../storage-errors.ts'
import type { S3Configuration } from './s3-options.ts'

/** What a request is made with. */
export interface S3Call {
  readonly sdk: typeof Sdk
  readonly client: Sdk.S3Client
  /** To be passed to `client.send`. */
  readonly options: { readonly abortSignal: AbortSignal; readonly requestTimeout?: number }
}

const ATTEMPTS = 3

/** The SDK's own limit is 50, and so many readers of files who are slow or pause would keep everybody else waiting. */
const MAX_SOCKETS = 1000

/** Makes requests that always end. */
export class S3Requests {
  readonly #options: S3Configuration
  readonly #timeout: number
  #connection: Promise<Pick<S3Call, 'sdk' | 'client'>> | undefined
  #signer: Sdk.S3Client | undefined

  constructor(options: S3Configuration) {
    this.#options = options
    this.#timeout = options.timeout * 1000
  }

  /** Milliseconds until the next bytes of an answer must have come. */
  get timeout(): number {
    return this.#timeout
  }

  /**
   * Makes a request.
   *
   * @param patience how many times the usual timeout the service may take: copying and joining parts are slow
   * @throws QuillgateError `storage_failed` with the service's own error as its cause, also when the service has not
   * answered after all tries; `driver_missing`
   */
  async call<Output>(step: (call: S3Call) => Promise<Output>, patience = 1): Promise<Output> {
    const requestTimeout = this.#timeout * patience
    // The SDK bounds each try until its answer begins, but neither the rest of the answer nor where credentials come
    // from.
    const deadline = createDeadline(requestTimeout * (ATTEMPTS + 1))
    try {
      const connection = await this.connect()
      const options = this.#options.client ? {} : { requestTimeout } // A client of the application's own has its own.
      const sent = step({ ...connection, options: { ...options, abortSignal: deadline.signal } })
      return await Promise.race([sent, deadline.passed])
    } catch (error) {
      throw isQuillgateError(error) ? error : storageFailed(error)
    } finally {
      deadline.clear()
    }
  }

  /** The SDK and the client; loads them at the first call. @throws QuillgateError `driver_missing` */
  connect(): Promise<Pick<S3Call, 'sdk' | 'client'>> {
    this.#connection ??= this.#open()
    return this.#connection
  }

  /** The SDK and a client that signs for browsers. @throws QuillgateError `driver_missing` */
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
      // Older services refuse the checksums that the SDK adds by itself; bodies are covered by the signature's own
      // SHA-256.
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
  passed.catch(() => {}) // It may pass when nobody waits any more.
  const timer = setTimeout(() => {
    const error = new Error(`The S3 service has not answered within ${milliseconds / 1000} seconds`)
    reject(error)
    controller.abort(error)
  }, milliseconds)
  return { signal: controller.signal, passed, clear: () => clearTimeout(timer) }
}
