import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigurationError, loadPackage } from '@quillgate/server/core'
import type { RevocationChannel, RevocationListener } from './revocation-channel.ts'

export type { RevocationChannel, RevocationListener } from './revocation-channel.ts'

/** The part of a client of the package `pg` that is used. */
interface PgClient {
  query(text: string, values?: unknown[]): Promise<unknown>
  on(
    event: 'notification',
    listener: (message: { channel: string; payload?: string | undefined }) => void,
  ): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
}

/**
 * The part of a pool of the package `pg` that is used. One of its connections is kept for
 * listening.
 */
export interface PgPool {
  connect(): Promise<PgClient & { release(destroy?: boolean): void }>
}

const FIRST_PAUSE = 100 // Milliseconds between two tries to connect; they grow.
const LONGEST_PAUSE = 5000
const CONNECT_TIMEOUT = 5000
/** PostgreSQL shares one queue (8 GB by default) among all applications. A half-full one gets none. */
const NOTIFY = 'SELECT pg_notify($1::text, $2::text) WHERE pg_notification_queue_usage() < 0.5'

/**
 * Carries revocations between nodes by LISTEN and NOTIFY of PostgreSQL. Keeps one connection of its
 * own. Needs the package `pg`, and a connection without a proxy that shares it between transactions
 * (PgBouncer with `pool_mode = transaction`).
 *
 * @param source URL of a database, or a pool of the application, which stays open
 * @throws ConfigurationError
 * @example
 * createTrustedDevices({ …, database: url, revocations: postgresRevocations(url) })
 */
export function postgresRevocations(source: string | PgPool): RevocationChannel {
  const isUrl =
    typeof source === 'string' && /^postgres(ql)?:\/\//.test(source) && URL.canParse(source)
  if (!isUrl && typeof (source as PgPool | null)?.connect !== 'function') {
    const problem = 'must be given a URL such as postgres://user@host/name, or a pool of pg'
    throw new ConfigurationError('revocations', problem)
  }
  return new PostgresChannel(() => (typeof source === 'string' ? connect(source) : borrow(source)))
}

/** A connection, and how to end it. */
interface Connection {
  readonly client: PgClient
  end(): void
}

async function connect(url: string): Promise<Connection> {
  const { default: pg } = await loadPackage('pg', 'postgresRevocations', () => import('pg'))
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: CONNECT_TIMEOUT,
    keepAlive: true,
  })
  client.on('error', () => {}) // Also after its end.
  try {
    await client.connect()
  } catch (error) {
    void client.end().catch(() => {})
    throw error
  }
  return { client: client as PgClient, end: () => void client.end().catch(() => {}) }
}

async function borrow(pool: PgPool): Promise<Connection> {
  const client = await pool.connect()
  client.on('error', () => {})
  return { client, end: () => client.release(true) }
}

class PostgresChannel implements RevocationChannel {
  readonly #connect: () => Promise<Connection>
  readonly #stopping = new AbortController()
  #name = ''
  #connection: Connection | undefined
  #lose: () => void = () => {}
  #running: Promise<void> | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(connecting: () => Promise<Connection>) {
    this.#connect = connecting
  }

  open(name: string, listener: RevocationListener): void {
    if (this.#running)
      throw new ConfigurationError('revocations', 'must be a channel of this instance only')
    this.#name = name
    this.#running = this.#run(listener)
  }

  async publish(message: string): Promise<void> {
    // A client of pg runs one query at a time.
    const sending = this.#sending.then(async () => {
      if (!this.#connection) throw new Error('There is no connection to PostgreSQL at the moment.')
      await this.#connection.client.query(NOTIFY, [this.#name, message])
    })
    this.#sending = sending.catch(() => {})
    await sending
  }

  reconnect(): void {
    this.#lose()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    this.#lose()
    await this.#running
  }

  async #run(listener: RevocationListener): Promise<void> {
    const { signal } = this.#stopping
    let pause = FIRST_PAUSE
    while (!signal.aborted) {
      try {
        await this.#listen(listener, () => {
          pause = FIRST_PAUSE
        })
      } catch (error) {
        if (!signal.aborted)
          listener.onProblem('No connection to PostgreSQL for messages of other nodes.', error)
      }
      // Random, so that not all nodes reconnect at once.
      await sleep(pause * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => {})
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    }
  }

  /**
   * A pool may never have a free connection. @returns null after `close`; a later connection is
   * released
   */
  async #connectUnlessStopped(): Promise<Connection | null> {
    const { signal } = this.#stopping
    const connecting = this.#connect()
    const { promise: stopped, resolve } = Promise.withResolvers<null>()
    const stop = (): void => resolve(null)
    signal.addEventListener('abort', stop, { once: true })
    try {
      const connection = signal.aborted ? null : await Promise.race([connecting, stopped])
      if (!connection) void connecting.then((late) => late.end()).catch(() => {})
      return connection
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Listens until the connection is lost. */
  async #listen(listener: RevocationListener, onListening: () => void): Promise<void> {
    const connection = await this.#connectUnlessStopped()
    if (!connection) return
    const lost = new Promise<void>((resolve) => {
      this.#lose = resolve
    })
    if (this.#stopping.signal.aborted) this.#lose()
    const { client } = connection
    try {
      client.on('error', this.#lose)
      client.on('end', this.#lose)
      client.on('notification', ({ channel, payload }) => {
        if (channel === this.#name && payload !== undefined) listener.onMessage(payload)
      })
      const listening = client
        .query(`LISTEN "${this.#name.replaceAll('"', '""')}"`)
        .then(() => true)
      // An application's pool has no limit for a statement, perhaps.
      if (!(await Promise.race([listening, lost])) || this.#stopping.signal.aborted) return
      this.#connection = connection
      onListening()
      listener.onListening()
      await lost
    } finally {
      this.#connection = undefined
      connection.end()
    }
  }
}
