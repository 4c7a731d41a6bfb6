/** The state of one key after a hit. */
export interface RateWindow {
  /** The number of hits in the current window, including this one. */
  readonly consumedPoints: number
  readonly msBeforeNext: number
}

/**
 * Counts hits. Every limiter of the package `rate-limiter-flexible` is such a store. A window
 * begins with the first hit of a key and never moves. Both calls are atomic, and reject if the
 * store cannot count.
 */
export interface RateStore {
  /**
   * @param key at most 80 characters of ASCII
   * @param options.customDuration length of the window in seconds, the same for every hit of a key
   */
  penalty(
    key: string,
    points: number,
    options: { readonly customDuration: number },
  ): Promise<RateWindow>
  reward(
    key: string,
    points: number,
    options: { readonly customDuration: number },
  ): Promise<unknown>
}
