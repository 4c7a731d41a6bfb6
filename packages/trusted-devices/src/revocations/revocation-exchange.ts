import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '@quillgate/server/core'
import type { Announcer, ChangedDevices } from '../devices/changes.ts'
import type { DeviceCache } from '../devices/device-cache.ts'
import { encodeMessage, messagesFor, parseMessage } from './messages.ts'
import type { RevocationChannel } from './revocation-channel.ts'

/** The options of {@link createRevocationExchange}. */
export interface RevocationExchangeOptions {
  /** Null: this node is alone, or 5 seconds are soon enough. */
  readonly channel: RevocationChannel | null
  /** The same on all nodes. */
  readonly name: string
  readonly cache: DeviceCache
  /** Called for failures without consequences. */
  readonly onProblem: (message: string, error: unknown) => void
  /**
   * Seconds between two messages to ourselves, by which a dead connection is noticed. @default 10
   */
  readonly heartbeat?: number
}

/** Sends to other nodes which devices they must read again, and receives their messages. */
export interface RevocationExchange extends Announcer {
  /**
   * Begins to listen. Waits 2 s for it at most, and never fails: without it a revocation takes
   * `deviceCacheTtl`. After `close` it does nothing.
   */
  start(): Promise<void>
  /** Waits 2 s at most for what is being sent and 2 s for the channel, and ends. */
  close(): Promise<void>
}

const PATIENCE = 2 // Seconds.
const BEAT_PATIENCE = 4000 // Milliseconds.
const MAX_UNSENT = 1000

/** Connects the cache of this node with the other nodes. */
export function createRevocationExchange(options: RevocationExchangeOptions): RevocationExchange {
  const { channel } = options
  return channel ? new Exchange(channel, options) : ALONE
}

const ALONE: RevocationExchange = {
  announce() {},
  async start() {},
  async close() {},
}

class Exchange implements RevocationExchange {
  readonly #channel: RevocationChannel
  readonly #options: RevocationExchangeOptions
  readonly #listening = Promise.withResolvers<void>()
  readonly #sending = new Set<Promise<void>>()
  /**
   * Messages that failed to send. They are sent later: a late message is better than waiting for
   * `deviceCacheTtl`.
   */
  #unsent: string[] = []
  /** Called when a beat comes back. */
  readonly #beats = new Map<string, () => void>()
  #isStarted = false
  #isClosed = false
  #isFailing = false
  #timer: NodeJS.Timeout | undefined

  constructor(channel: RevocationChannel, options: RevocationExchangeOptions) {
    this.#channel = channel
    this.#options = options
  }

  async start(): Promise<void> {
    if (this.#isClosed) return
    if (!this.#isStarted) {
      this.#isStarted = true
      this.#channel.open(this.#options.name, {
        onMessage: (text) => this.#receive(text),
        onListening: () => this.#resume(),
        onProblem: (message, error) => this.#fail(message, error),
      })
      this.#timer = setInterval(
        () => void this.#checkPulse(),
        (this.#options.heartbeat ?? 10) * 1000,
      ).unref()
    }
    await withTimeout(PATIENCE, this.#listening.promise, () => {})
  }

  announce(changed: ChangedDevices): void {
    for (const message of messagesFor(changed)) this.#send(encodeMessage(message))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#listening.resolve() // Waiting calls can continue.
    if (this.#sending.size > 0)
      await withTimeout(PATIENCE, Promise.allSettled(this.#sending), () => {})
    await withTimeout(PATIENCE, this.#channel.close(), () => {})
  }

  #send(text: string): void {
    const sending = this.#channel
      .publish(text)
      .catch((error: unknown) => {
        this.#unsent = [...this.#unsent, text].slice(-MAX_UNSENT)
        this.#fail('Other nodes were not told of a revocation.', error)
      })
      .finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
  }

  /** A message can only make this node read again. */
  #receive(text: unknown): void {
    const message = parseMessage(text)
    if (!message) return
    const { cache } = this.#options
    if ('beat' in message) this.#beats.get(message.beat)?.()
    else if ('user' in message) cache.forgetUser(message.user)
    else for (const uid of message.devices) cache.forget(uid)
  }

  /** Reads everything again, because messages may have been lost. */
  #resume(): void {
    this.#options.cache.forgetAll()
    this.#listening.resolve()
    for (const text of this.#unsent.splice(0)) this.#send(text)
  }

  async #checkPulse(): Promise<void> {
    if (await this.#beat()) {
      // Messages were lost, too.
      if (this.#isFailing) this.#options.cache.forgetAll()
      this.#isFailing = false
      return
    }
    this.#fail('Messages of other nodes do not arrive; trying again.', null)
    this.#channel.reconnect?.()
  }

  /** Sends a message to this node. @returns whether it arrived */
  async #beat(): Promise<boolean> {
    const beat = randomUUID()
    const { promise: heard, resolve } = Promise.withResolvers<boolean>()
    this.#beats.set(beat, () => resolve(true))
    try {
      const sent = this.#channel.publish(encodeMessage({ beat })).then(() => heard)
      return await Promise.race([sent, sleep(BEAT_PATIENCE, false, { ref: false })])
    } catch {
      return false
    } finally {
      this.#beats.delete(beat)
    }
  }

  /** Reports only the first of several failures in a row. */
  #fail(message: string, error: unknown): void {
    if (!this.#isFailing)
      this.#options.onProblem(`${message} Revocations take up to 5 s meanwhile.`, error)
    this.#isFailing = true
  }
}
