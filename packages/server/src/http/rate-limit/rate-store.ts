/** The state of one key after a hit. */
export interface RateWindow {
  /** Hits in the present window, this one included. */
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly resetAfter: number
}

/** Counts hits. */
export interface RateStore {
  /**
   * Counts one hit and says how many there are. The window begins with the first hit of a key and
   * never moves. Atomic: of two callers at once each sees another count. Rejects when it cannot
   * count.
   *
   * @param key at most 80 characters of ASCII
   * @param seconds length of the window; the same for every hit of one key
   */
  hit(key: string, seconds: number): Promise<RateWindow>
  /** Takes one hit of the present window back. */
  takeBack(key: string, seconds: number): Promise<void>
}
