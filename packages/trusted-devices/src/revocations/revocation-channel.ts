/** The callbacks of a channel. */
export interface RevocationListener {
  /**
   * A message arrived, from any node, this one included. It may be anything: others may write on
   * the channel.
   */
  onMessage(text: string): void
  /** It listens from now on. What was sent before, also since the connection broke, may be lost. */
  onListening(): void
  /** Called for a failure from which the channel recovers by itself. */
  onProblem(message: string, error: unknown): void
}

/**
 * Carries short messages between the nodes of an application. `postgresRevocations` and
 * `redisRevocations` make one; an application may bring its own. It need not be reliable: a lost
 * message costs `deviceCacheTtl`, no more.
 */
export interface RevocationChannel {
  /** Starts to listen, without waiting for the connection. Reconnects until it is closed. */
  open(name: string, listener: RevocationListener): void
  /** Sends a message of at most 7,900 bytes to every node that listens. */
  publish(message: string): Promise<void>
  close(): Promise<void>
}
