import { AsyncLocalStorage } from 'node:async_hooks'
import {
  ConfigurationError,
  checks,
  type Input,
  optional,
  parse,
  withTimeout,
} from '@quillgate/server/core'

/**
 * A function that is called for each event of a signal. It may be asynchronous. Its errors never
 * reach the sender.
 */
export type Receiver<Payload> = (payload: Payload) => unknown

const CONNECT_OPTIONS = {
  /** A name for the receiver: connecting another one with the same name replaces it. */
  id: optional(checks.anything<string>()),
  /** Only events of this sender; by default of every sender. */
  sender: optional(checks.anything<unknown>()),
}

/** How a receiver is connected. */
export type ConnectOptions = Input<typeof CONNECT_OPTIONS>

/** A connected receiver. */
export interface Connection<Payload> {
  readonly receiver: Receiver<Payload>
  readonly id: string | null
}

interface Connected<Payload> extends Connection<Payload> {
  readonly sender: unknown
}

/** How to disconnect what the option `receivers` has connected. */
const disconnects = new AsyncLocalStorage<(() => void)[]>()

/**
 * A kind of event that receivers can be connected to. Receivers are called in the order in which
 * they were connected.
 *
 * @example
 * const disconnect = deviceCreated.connect(({ user, device }) => sendMail(user, device.name), { id: 'mail' })
 */
export class Signal<Payload extends { readonly sender: unknown }> {
  /** For example `device_created`. */
  readonly name: string
  readonly #receivers = new Map<unknown, Connected<Payload>>()

  /** @param name snake_case, as in logs and on the wire */
  constructor(name: string) {
    this.name = name
  }

  /**
   * Connects a receiver. The returned function disconnects it; calling it again does nothing.
   *
   * @throws ConfigurationError for a receiver that is no function, and for an option that does not
   * exist
   */
  connect(receiver: Receiver<Payload>, options: ConnectOptions = {}): () => void {
    if (typeof receiver !== 'function') {
      const expected = 'needs a function as receiver: connect((event) => …)'
      throw new ConfigurationError(`connect of ${this.name}`, `${expected}, not ${typeof receiver}`)
    }
    const { id, sender } = parse(CONNECT_OPTIONS, options, 'connect')
    const key = id ?? Symbol(this.name)
    const connected = { receiver, id: id ?? null, sender }
    this.#receivers.set(key, connected)
    const disconnect = (): void => {
      if (this.#receivers.get(key) === connected) this.#receivers.delete(key)
    }
    disconnects.getStore()?.push(disconnect)
    return disconnect
  }

  /** Returns a copy of the receivers of an event of this sender. */
  connections(sender: unknown): Connection<Payload>[] {
    return [...this.#receivers.values()].filter(
      (connected) => connected.sender === undefined || connected.sender === sender,
    )
  }
}

const CONNECT_TIMEOUT = 30 // Seconds.

/**
 * Calls the option `receivers`, which connects receivers. If it fails, disconnects what it
 * connected, so that the next call does not connect receivers twice.
 *
 * @throws ConfigurationError if it takes longer than 30 s, because no request is answered before
 */
export async function connectReceivers(receivers: () => unknown): Promise<void> {
  const connected: (() => void)[] = []
  const late = (): never => {
    const problem = `was not done within ${CONNECT_TIMEOUT} s; look what it waits for`
    throw new ConfigurationError('receivers', problem)
  }
  try {
    const connecting = disconnects.run(connected, async () => receivers())
    await withTimeout(CONNECT_TIMEOUT, connecting, late)
  } catch (error) {
    for (const disconnect of connected) disconnect()
    throw error
  }
}
