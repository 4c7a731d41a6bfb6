import { ConfigurationError } from '@quillgate/server/core'
import type { RevocationChannel } from './revocation-channel.ts'

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
interface NodeRedisPubSub {
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
  const isPair =
    typeof publisher?.publish === 'function' &&
    typeof subscriber?.subscribe === 'function' &&
    (publisher as unknown) !== subscriber
  if (!isPair) {
    const problem = 'must be given two clients of ioredis or redis: one sends, one only listens'
    throw new ConfigurationError('revocations', problem)
  }
  let channel = ''
  let end: (() => Promise<unknown>) | undefined
  return {
    open(name, { onMessage, onListening, onProblem }) {
      if (end)
        throw new ConfigurationError('revocations', 'must be a channel of this instance only')
      channel = name
      const { subscribe, unsubscribe } = subscriptionOf(subscriber, name, onMessage)
      const listen = (): void =>
        void subscribe().then(onListening, (error) =>
          onProblem('Redis does not take a subscription.', error),
        )
      // `ready` again means that the connection was lost. Messages are complete from the new
      // subscription on.
      subscriber.on('ready', listen)
      listen()
      end = () => {
        subscriber.off('ready', listen)
        return unsubscribe()
      }
    },
    publish: async (message) => void (await publisher.publish(channel, message)),
    close: async () => void (await end?.().catch(() => {})),
  }
}

interface Subscription {
  subscribe(): Promise<unknown>
  unsubscribe(): Promise<unknown>
}

function subscriptionOf(
  client: IoRedisPubSub | NodeRedisPubSub,
  name: string,
  onMessage: (text: string) => void,
): Subscription {
  if (!('status' in client)) {
    return {
      subscribe: () => client.subscribe(name, onMessage),
      unsubscribe: () => client.unsubscribe(name, onMessage),
    }
  }
  const receive = (channel: string, message: string): void => {
    if (channel === name) onMessage(message)
  }
  client.on('message', receive)
  return {
    subscribe: () => client.subscribe(name),
    unsubscribe: () => {
      client.off('message', receive)
      return client.unsubscribe(name)
    },
  }
}
