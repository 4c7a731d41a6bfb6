import { withTimeout } from '@quillgate/server/core'
import type { DeviceCache } from '../devices/device-cache.ts'
import { encodeMessages, parseMessage } from './messages.ts'
import type { RevocationChannel } from './revocation-channel.ts'

/** The options of a {@link RevocationExchange}. */
export interface RevocationExchangeOptions {
  readonly channel: RevocationChannel
  /** The same on all nodes. */
  readonly name: string
  readonly cache: DeviceCache
  /** Called for failures without consequences. */
  readonly onProblem: (message: string, error: unknown) => void
}

const PATIENCE = 2 // Seconds.

/**
 * Sends to other nodes which devices they must read again, and receives their messages. It only
 * makes revocations faster: a lost message costs `deviceCacheTtl`.
 */
export class RevocationExchange {
  readonly #options: RevocationExchangeOptions
  readonly #listening = Promise.withResolvers<void>()
  #sending: Promise<void> = Promise.resolve()
  #isOpen = false
  #isClosed = false
  #isFailing = false

  constructor(options: RevocationExchangeOptions) {
    this.#options = options
  }

  /** Begins to listen. Waits at most 2 s for it, and never fails. After `close` it does nothing. */
  async start(): Promise<void> {
    const { channel, name, cache } = this.#options
    if (this.#isClosed) return
    if (!this.#isOpen) {
      this.#isOpen = true
      channel.open(name, {
        onMessage: (text) => parseMessage(text).forEach(cache.forget),
        onListening: () => {
          cache.forgetAll() // Messages may have been lost.
          this.#isFailing = false
          this.#listening.resolve()
        },
        onProblem: (message, error) => this.#fail(message, error),
      })
    }
    await withTimeout(PATIENCE, this.#listening.promise, () => {})
  }

  /** Names changed devices to the other nodes. Does not wait, and never fails. */
  publish(uids: readonly string[]): void {
    for (const message of encodeMessages(uids)) {
      this.#sending = this.#sending
        .then(() => this.#options.channel.publish(message))
        .catch((error: unknown) => this.#fail('A revocation did not reach other nodes.', error))
    }
  }

  /** Waits at most 2 s for messages that are being sent, and 2 s for the channel. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#listening.resolve() // Waiting calls can continue.
    await withTimeout(PATIENCE, this.#sending, () => {})
    await withTimeout(PATIENCE, this.#options.channel.close(), () => {})
  }

  /** Reports only the first of several failures in a row. */
  #fail(message: string, error: unknown): void {
    if (!this.#isFailing)
      this.#options.onProblem(`${message} Revocations take up to 5 s meanwhile.`, error)
    this.#isFailing = true
  }
}
