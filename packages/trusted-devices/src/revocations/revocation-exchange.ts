import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '@quillgate/server/core'
import type { Announcer, ChangedDevices } from '../devices/changes.ts'
import type { DeviceCache } from '../devices/device-cache.ts'
import { encodeMessage, messagesFor, parseMessage } from './messages.ts'
import type { RevocationChannel } from './revocation-channel.ts'

/** The options of a {@link RevocationExchange}. */
export interface RevocationExchangeOptions {
  readonly channel: RevocationChannel
  /** The same on all nodes. */
  readonly name: string
  readonly cache: DeviceCache
  /** Called for failures without consequences. */
  readonly onProblem: (message: string, error: unknown) => void
  /**
   * Seconds between two messages to this node, which find a dead connection. @default 10
   */
  readonly heartbeat?: number
}

const PATIENCE = 2 // Seconds.
const BEAT_PATIENCE = 4000 // Milliseconds.
const MAX_UNSENT = 1000

/** Sends to other nodes which devices they must read again, and receives their messages. */
export class RevocationExchange implements Announcer {
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

  constructor(options: RevocationExchangeOptions) {
    this.#channel = options.channel
    this.#options = options
  }

  /**
   * Begins to listen. Waits at most 2 s for it, and never fails: without it a revocation takes
   * `deviceCacheTtl`. After `close` it does nothing.
   */
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

  /** Waits at most 2 s for messages that are being sent, and 2 s for the channel. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#listening.resolve() // Waiting calls can continue.
    if (this.#sending.size > 0)
      await withTimeout(PATIENCE, Promise.allSettled(this.#sending), () => {})
    await withTimeout(PATIENCE, this.#channel.close(), () => {})
  }

  #send(text: string): void {
    // In a promise, because the channel of an application may throw at once.
    const sending = Promise.resolve(text)
      .then((message) => this.#channel.publish(message))
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
