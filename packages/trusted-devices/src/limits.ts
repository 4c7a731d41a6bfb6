const DAY = 86_400

/** Values that suit every application. Only tests pass others. Durations are seconds. */
export interface Limits {
  /** The time between two updates of `lastSeenAt`. 0 updates it at every request. */
  readonly lastSeenInterval: number
  /** How long the lookup of a place may take. */
  readonly locateTimeout: number
  /** How long the place of an address is cached. */
  readonly locateCacheTtl: number
  /**
   * Refreshes and verifications per device, and 20 times as many per account. Forged tokens per
   * address. Null means no limit.
   */
  readonly refreshRateLimit: string | null
  /** How long a second factor is remembered on a device, at most. */
  readonly secondFactorLifetime: number
  /** How long one attempt to deliver an event may take. */
  readonly outboxTimeout: number
  /** Failed attempts after which an event is `dead`. 15 attempts take about five hours. */
  readonly outboxAttempts: number
  /** The time between two searches for events of other processes. Null never searches. */
  readonly outboxInterval: number | null
  /** How long delivered and dead events are kept. Null keeps them forever. */
  readonly outboxRetention: number | null
}

/** The values of every application. */
export const LIMITS: Limits = {
  lastSeenInterval: 60,
  locateTimeout: 2,
  locateCacheTtl: 60,
  refreshRateLimit: '60/minute',
  secondFactorLifetime: 30 * DAY,
  outboxTimeout: 20,
  outboxAttempts: 15,
  outboxInterval: 5,
  outboxRetention: 30 * DAY,
}
