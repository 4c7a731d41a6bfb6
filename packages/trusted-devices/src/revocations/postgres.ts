import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigurationError, loadPackage } from '@quillgate/server/core'
import type { Client } from 'pg'
import type { RevocationChannel, RevocationListener } from './revocation-channel.ts'

const FIRST_PAUSE = 100 // Milliseconds between two tries to connect; they grow.
const LONGEST_PAUSE = 5000
const TIMEOUT = 5000 // Milliseconds of a connection and of a query.
/** PostgreSQL shares one queue (8 GB by default) among all applications. A half-full one gets none. */
const NOTIFY = 'SELECT pg_notify($1::text, $2::text) WHERE pg_notification_queue_usage() < 0.5'

/**
 * Carries revocations between nodes by LISTEN and NOTIFY of PostgreSQL. Keeps one connection of its
 * own. Needs the package `pg`, and a connection without a proxy that shares it between transactions
 * (PgBouncer with `pool_mode = transaction`).
 *
 * @param url URL of a database
 * @throws ConfigurationError
 * @example
 * createTrustedDevices({ …, database: url, revocations: postgresRevocations(url) })
 */
export function postgresRevocations(url: string): RevocationChannel {
  const isUrl = typeof url === 'string' && /^postgres(ql)?:\/\//.test(url) && URL.canParse(url)
  if (isUrl) return new PostgresChannel(url)
  const problem = 'must be given a URL such as postgres://user@host/name'
  throw new ConfigurationError('revocations', problem)
}

class PostgresChannel implements RevocationChannel {
  readonly #url: string
  readonly #stopping = new AbortController()
  #name = ''
  #client: Client | undefined
  #running: Promise<void> | undefined

  constructor(url: string) {
    this.#url = url
  }

  open(name: string, listener: RevocationListener): void {
    if (this.#running)
      throw new ConfigurationError('revocations', 'must be a channel of this instance only')
    this.#name = name
    this.#running = this.#run(listener)
  }

  async publish(message: string): Promise<void> {
    if (!this.#client) throw new Error('There is no connection to PostgreSQL at the moment.')
    await this.#client.query(NOTIFY, [this.#name, message])
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(listener: RevocationListener): Promise<void> {
    const { signal } = this.#stopping
    let pause = FIRST_PAUSE
    while (!signal.aborted) {
      try {
        await this.#listen(listener)
        pause = FIRST_PAUSE
      } catch (error) {
        if (!signal.aborted)
          listener.onProblem('No connection to PostgreSQL for messages of other nodes.', error)
      }
      // Random, so that not all nodes reconnect at once.
      await sleep(pause * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => {})
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    }
  }

  /** Connects, and listens until the connection is lost. */
  async #listen(listener: RevocationListener): Promise<void> {
    const { signal } = this.#stopping
    const { default: pg } = await loadPackage('pg', 'postgresRevocations', () => import('pg'))
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: TIMEOUT,
      query_timeout: TIMEOUT,
      keepAlive: true,
    })
    const lost = new Promise<void>((resolve) => client.on('end', resolve).on('error', () => {}))
    const end = (): void => void client.end().catch(() => {})
    signal.addEventListener('abort', end, { once: true })
    try {
      await client.connect()
      client.on('notification', ({ channel, payload }) => {
        if (channel === this.#name && payload !== undefined) listener.onMessage(payload)
      })
      await client.query(`LISTEN "${this.#name.replaceAll('"', '""')}"`)
      this.#client = client
      listener.onListening()
      await lost
    } finally {
      this.#client = undefined
      signal.removeEventListener('abort', end)
      end()
    }
  }
}
