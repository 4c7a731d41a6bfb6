import { anything, boolean, functionOf, has } from './core/checks.ts'
import type { Logger } from './core/logger.ts'
import { field, type Input, objectOf, optional, required } from './core/schema.ts'
import type { DatabaseSource } from './database/types.ts'
import type { CorsOptions } from './http/cors.ts'
import type { CsrfVerifier } from './http/csrf/csrf.ts'
import { NETWORK_OPTIONS, NETWORK_SETTINGS } from './http/network/network.ts'
import type { RateStore } from './http/rate-limit/memory-rate-store.ts'

/** Every option of `createQuillgate`. */
export const GATE_OPTIONS = {
  /**
   * The secret of at least 32 bytes, or `[new, old]` [while you replace
   * it](trusted-devices-nodes.md#replace-the-secret).
   */
  secret: required(anything<string | readonly string[]>()),
  /**
   * The database: `sqlite:./file`, `postgres://…`, `mysql://…` (MariaDB), or the application's
   * Kysely instance, `pg.Pool` or `mysql2` pool.
   */
  database: required(anything<DatabaseSource>()),
  ...NETWORK_OPTIONS,
  /**
   * The other origins whose pages may call the endpoints with bearer tokens: `{ origins:
   * ['https://app.example.com'] }`.
   */
  cors: optional(anything<CorsOptions>()),
  /**
   * The application's own CSRF protection, an object with `verify`. If anonymous visitors can
   * upload, it also needs `session`. By default, `gate.csrfToken` and `gate.verifyCsrf` are used.
   */
  csrf: optional(has<CsrfVerifier>(['verify'], ['session'])),
  /**
   * A limiter of the package `rate-limiter-flexible` that several nodes share, for example with
   * Redis. By default, each process counts requests in its memory.
   */
  rateLimiter: optional(has<RateStore>(['penalty', 'reward'])),
  /** If false, `ready()` creates no tables, and you apply the migrations yourself. */
  migrate: field(boolean, true),
  /** Receives warnings and unexpected errors; by default `console`. */
  logger: field(has<Logger>(['warn', 'error']), console),
  /** Returns the current time in milliseconds; by default `Date.now`. Replace it in tests. */
  clock: field(functionOf<() => number>(), () => Date.now()),
  /** [Settings](#settings-of-createquillgate) that differ from the defaults. */
  settings: optional(objectOf(NETWORK_SETTINGS)),
}

/** Options of `createQuillgate`. */
export type QuillgateOptions = Omit<Input<typeof GATE_OPTIONS>, 'settings'> & {
  readonly settings?: Input<typeof NETWORK_SETTINGS> | undefined
}
