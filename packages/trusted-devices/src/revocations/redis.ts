import { ConfigurationError } from '@quillgate/server/core'
import type { RevocationChannel, RevocationListener } from './revocation-channel.ts'

export type { RevocationChannel, RevocationListener } from './revocation-channel.ts'

type Publisher = Pick<IoRedisPubSub | NodeRedisPubSub, 'publish'>

/** The part of a client of the package `ioredis` that is used. */
interface IoRedisPubSub {
  readonly status: string
  publish(channel: string, message: string): Promise<unknown>
  subscribe(channel: string): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
  on(event: 'message', listener: (channel: string, message: string) => void): unknown
  on(event: 'ready', listener: () => void): unknown
  off(event: 'message', listener: (channel: string, message: string) => void): unknown
  off(event: 'ready', listener: () => void): unknown
}

/**
 * The part of a client of the package `redis` (4 and later) that is used. The application has
 * connected it.
 */
export interface NodeRedisPubSub {
  readonly isReady: boolean
  publish(channel: string, message: string): Promise<unknown>
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  unsubscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  on(event: 'ready', listener: () => void): unknown
  off(event: 'ready', listener: () => void): unknown
}

/**
 * Carries revocations between nodes by Redis. The caller owns both connections: it opens, watches
 * and closes them, and their clients reconnect by themselves. Redis lets a connection that listens
 * do nothing else, so the second one is its own: `redis.duplicate()`.
 *
 * @param publisher sends; it may serve the application too
 * @throws ConfigurationError
 * @example
 * createTrustedDevices({ …, revocations: redisRevocations(redis, redis.duplicate()) })
 */
export function redisRevocations<Client extends IoRedisPubSub | NodeRedisPubSub>(
  publisher: Pick<Client, 'publish'>,
  subscriber: Client,
): RevocationChannel {
  if (typeof publisher?.publish !== 'function' || typeof subscriber?.subscribe !== 'function') {
    const problem = 'must be given two clients of ioredis or redis: one sends, one listens'
    throw new ConfigurationError('revocations', problem)
  }
  if ((publisher as unknown) === subscriber) {
    const problem = 'must be given two clients: one that listens can do nothing else'
    throw new ConfigurationError('revocations', problem)
  }
  return new RedisChannel(publisher, subscriber)
}

function isIoRedis(client: IoRedisPubSub | NodeRedisPubSub): client is IoRedisPubSub {
  return 'status' in client
}

class RedisChannel implements RevocationChannel {
  readonly #publisher: Publisher
  readonly #subscriber: IoRedisPubSub | NodeRedisPubSub
  #listener: RevocationListener | null = null
  #name = ''
  #isClosed = false

  constructor(publisher: Publisher, subscriber: IoRedisPubSub | NodeRedisPubSub) {
    this.#publisher = publisher
    this.#subscriber = subscriber
  }

  open(name: string, listener: RevocationListener): void {
    if (this.#listener)
      throw new ConfigurationError('revocations', 'must be a channel of this instance only')
    this.#name = name
    this.#listener = listener
    const client = this.#subscriber
    if (isIoRedis(client)) client.on('message', this.#onIoMessage)
    // `ready` again means that the connection was lost. Messages are complete from the new
    // subscription on.
    client.on('ready', this.#subscribe)
    this.reconnect()
  }

  async publish(message: string): Promise<void> {
    await this.#publisher.publish(this.#name, message)
  }

  reconnect(): void {
    if (this.#isReady()) this.#subscribe()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const client = this.#subscriber
    const isReady = this.#isReady()
    client.off('ready', this.#subscribe)
    if (isIoRedis(client)) client.off('message', this.#onIoMessage)
    if (!isReady) return
    const unsubscribing = isIoRedis(client)
      ? client.unsubscribe(this.#name)
      : client.unsubscribe(this.#name, this.#onMessage)
    await unsubscribing.catch(() => {})
  }

  readonly #onMessage = (message: string): void => this.#listener?.onMessage(message)

  readonly #onIoMessage = (channel: string, message: string): void => {
    if (channel === this.#name) this.#onMessage(message)
  }

  readonly #subscribe = (): void => {
    const client = this.#subscriber
    const subscribing = isIoRedis(client)
      ? client.subscribe(this.#name)
      : client.subscribe(this.#name, this.#onMessage)
    subscribing.then(
      () => {
        if (!this.#isClosed) this.#listener?.onListening()
      },
      (error: unknown) => this.#listener?.onProblem('Redis does not take a subscription.', error),
    )
  }

  #isReady(): boolean {
    const client = this.#subscriber
    return isIoRedis(client) ? client.status === 'ready' : client.isReady
  }
}
