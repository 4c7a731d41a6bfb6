import type { SqlExecutor } from '@quillgate/server/database'

/** What a channel tells the one who listens. */
export interface RevocationListener {
  /** A message arrived, from any node, this one included. It may be anything: others may write on the channel. */
  onMessage(text: string): void
  /** It listens from now on. What was sent before, also since the connection broke, may be lost. */
  onListening(): void
  /** Something failed that it mends by itself. */
  onProblem(message: string, error: unknown): void
}

/**
 * Carries short messages between the nodes of an application. `postgresRevocations` and `redisRevocations` make one;
 * an application may bring its own. It need not be reliable: a lost message costs `deviceCacheTtl`, no more.
 */
export interface RevocationChannel {
  /** Begins to listen, and goes on until it is closed: a connection that breaks is made anew. Does not wait for it. */
  open(name: string, listener: RevocationListener): void
  /** Sends a message of at most 7,900 bytes to every node that listens. */
  publish(message: string): Promise<void>
  /** Sends a message with the commit of a transaction, where its database carries the messages. */
  publishIn?(tx: SqlExecutor, message: string): Promise<void>
  /** The connection looks alive and is not: makes it anew. */
  reconnect?(): void
  close(): Promise<void>
}
