/** A clock that moves only by calls. Call it to read it. */
export interface FakeClock {
  /** Milliseconds since the epoch. */
  (): number
  /** Moves it on. @param ms milliseconds */
  advance(ms: number): void
  /** Sets it. @param ms milliseconds since the epoch */
  set(ms: number): void
}

/**
 * A clock for tests, to be passed wherever a `clock` is asked for.
 *
 * @param start milliseconds since the epoch
 * @example
 * const clock = createFakeClock()
 * const devices = createTrustedDevices({ …, clock })
 * clock.advance(90 * 86_400_000)
 */
export function createFakeClock(start: number = Date.UTC(2026, 2, 15, 12)): FakeClock {
  let now = start
  const clock = (): number => now
  return Object.assign(clock, {
    advance(ms: number): void {
      now += ms
    },
    set(ms: number): void {
      now = ms
    },
  })
}
