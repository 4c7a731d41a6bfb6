import { anything, boolean, functionOf, has } from '../core/checks.ts'
import type { Logger } from '../core/logger.ts'
import { field, optional, required } from '../core/schema.ts'
import { tablePrefix } from '../database/migration-sql.ts'
import type { DatabaseSource } from '../database/types.ts'
import type { CorsOptions } from './cors.ts'
import type { CsrfVerifier } from './csrf/csrf.ts'
import { NETWORK_OPTIONS } from './network/network.ts'
import type { RateLimiter } from './rate-limit/rate-limit.ts'

/** The options that every component has. */
export const SHARED_OPTIONS = {
  /** At least 32 bytes. Several while one replaces another: `[old, new]` on every node first, then `[new, old]`. */
  secret: required(anything<string | readonly string[]>()),
  /** `sqlite:./file`, `postgres://…`, `mysql://…` (MariaDB), or a Kysely instance of the application. */
  database: required(anything<DatabaseSource>()),
  ...NETWORK_OPTIONS,
  /**
   * Which other origins may call the endpoints from a browser: `{ origins: ['https://app.example.com'] }`. For clients
   * with bearer tokens; changes that are authenticated by cookies still need our own origin.
   */
  cors: optional(anything<CorsOptions>()),
  /**
   * What the application makes its CSRF tokens with: one `createCsrf` for the application and both components, or a
   * protection of its own, which needs `session` too if anonymous visitors may upload. By default `createCsrf` with the
   * same secret.
   */
  csrf: optional(has<CsrfVerifier>('verify')),
  /** Counts requests, for example in Redis for several nodes; by default in memory. */
  rateLimiter: optional(has<RateLimiter>('consume', 'forgive')),
  /** False: `ready()` creates no tables; apply the migrations yourself. */
  migrate: field(boolean, true),
  /** The start of the table names. */
  prefix: field(tablePrefix, 'quillgate_'),
  /** Gets what goes wrong without failing a request. */
  logger: field(has<Logger>('warn', 'error'), console),
  /** Milliseconds since the epoch, for tests. */
  clock: field(functionOf<() => number>(), () => Date.now()),
}
