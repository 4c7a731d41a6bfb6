import { ConfigurationError } from '@quillgate/server/core'
import type { RevocationChannel, RevocationListener } from './revocation-channel.ts'

export type { RevocationChannel, RevocationListener } from './revocation-channel.ts'

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
 * and closes them, and their clients connect again by themselves. The second one can do nothing but
 * listen, as Redis wants it: `redis.duplicate()`.
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
    throw new ConfigurationError(
      'revocations',
      'must be given two clients of ioredis or redis: one sends, one listens',
    )
  }
  if ((publisher as unknown) === subscriber) {
    throw new ConfigurationError(
      'revocations',
      'must be given two clients: one that listens can do nothing else',
    )
  }
  return new RedisChannel(
    publisher,
    isIoRedis(subscriber) ? fromIoRedis(subscriber) : fromNodeRedis(subscriber),
  )
}

function isIoRedis(client: IoRedisPubSub | NodeRedisPubSub): client is IoRedisPubSub {
  return 'status' in client
}

/** One interface to both kinds of clients. */
interface Subscriber {
  isReady(): boolean
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
  onReady(listener: () => void): void
  /** Listens to nothing any more. */
  detach(): void
}

function fromIoRedis(client: IoRedisPubSub): Subscriber {
  let onMessage: (channel: string, message: string) => void = () => {}
  let onReady = (): void => {}
  return {
    isReady: () => client.status === 'ready',
    subscribe(channel, listener) {
      client.off('message', onMessage)
      onMessage = (from, message) => {
        if (from === channel) listener(message)
      }
      client.on('message', onMessage)
      return client.subscribe(channel)
    },
    unsubscribe: (channel) => client.unsubscribe(channel),
    onReady(listener) {
      onReady = listener
      client.on('ready', listener)
    },
    detach() {
      client.off('message', onMessage)
      client.off('ready', onReady)
    },
  }
}

function fromNodeRedis(client: NodeRedisPubSub): Subscriber {
  let onMessage: (message: string) => void = () => {}
  let onReady = (): void => {}
  return {
    isReady: () => client.isReady,
    subscribe(channel, listener) {
      onMessage = listener
      return client.subscribe(channel, listener)
    },
    unsubscribe: (channel) => client.unsubscribe(channel, onMessage),
    onReady(listener) {
      onReady = listener
      client.on('ready', listener)
    },
    detach: () => void client.off('ready', onReady),
  }
}

class RedisChannel implements RevocationChannel {
  readonly #publisher: Pick<IoRedisPubSub | NodeRedisPubSub, 'publish'>
  readonly #subscriber: Subscriber
  #name = ''
  #isClosed = false
  #subscribe: () => void = () => {}

  constructor(publisher: Pick<IoRedisPubSub | NodeRedisPubSub, 'publish'>, subscriber: Subscriber) {
    this.#publisher = publisher
    this.#subscriber = subscriber
  }

  open(name: string, listener: RevocationListener): void {
    if (this.#name !== '')
      throw new ConfigurationError('revocations', 'must be a channel of this instance only')
    this.#name = name
    const onMessage = (message: string): void => listener.onMessage(message)
    this.#subscribe = () => {
      this.#subscriber.subscribe(name, onMessage).then(
        () => {
          if (!this.#isClosed) listener.onListening()
        },
        (error: unknown) => listener.onProblem('Redis does not take a subscription.', error),
      )
    }
    // Ready once more means that the connection was lost: only a subscription from now on is one
    // without a gap.
    this.#subscriber.onReady(this.#subscribe)
    if (this.#subscriber.isReady()) this.#subscribe()
  }

  async publish(message: string): Promise<void> {
    await this.#publisher.publish(this.#name, message)
  }

  reconnect(): void {
    if (this.#subscriber.isReady()) this.#subscribe()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#subscriber.detach()
    if (this.#subscriber.isReady()) await this.#subscriber.unsubscribe(this.#name).catch(() => {})
  }
}
