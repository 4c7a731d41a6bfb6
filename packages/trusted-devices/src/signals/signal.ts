import { ConfigurationError, checks, type Input, optional, parse } from '@quillgate/server/core'

/**
 * A function that is called for each event of a signal. It may be asynchronous. Its errors never
 * reach the sender.
 */
export type Receiver<Payload> = (payload: Payload) => unknown

const CONNECT_OPTIONS = {
  /** A name for the receiver. A later receiver with the same name replaces this receiver. */
  id: optional(checks.anything<string>()),
}

/** A connected receiver. */
export interface Connection<Payload> {
  readonly receiver: Receiver<Payload>
  readonly id: string | null
}

/**
 * A kind of event that receivers can be connected to. Receivers are called in the order in which
 * they were connected.
 *
 * @example
 * const disconnect = deviceCreated.connect(({ user, device }) => sendMail(user, device.name), { id: 'mail' })
 */
export class Signal<Payload> {
  /** The name of the signal in logs and in JSON, for example `device_created`. */
  readonly name: string
  readonly #receivers = new Map<unknown, Connection<Payload>>()

  constructor(name: string) {
    this.name = name
  }

  /**
   * Connects a receiver, and returns a function that disconnects it. If the returned function is
   * called again, it does nothing.
   *
   * @throws ConfigurationError if the receiver is not a function or an option is unknown
   */
  connect(receiver: Receiver<Payload>, options: Input<typeof CONNECT_OPTIONS> = {}): () => void {
    if (typeof receiver !== 'function') {
      const problem = 'must be called with a function, for example connect((event) => …)'
      throw new ConfigurationError(`connect of ${this.name}`, problem, receiver)
    }
    const { id } = parse(CONNECT_OPTIONS, options, 'connect')
    const key = id ?? Symbol(this.name)
    const connection = { receiver, id: id ?? null }
    this.#receivers.set(key, connection)
    return () => {
      if (this.#receivers.get(key) === connection) this.#receivers.delete(key)
    }
  }

  /** Returns a copy of the connected receivers. */
  connections(): Connection<Payload>[] {
    return [...this.#receivers.values()]
  }
}
