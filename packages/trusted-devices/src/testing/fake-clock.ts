/** A clock that stands still until it is told otherwise. */
export interface FakeClock {
  /** The time in milliseconds since the epoch; give this function to `createTrustedDevices`. */
  (): number
  /** Moves the clock. @param seconds negative: back */
  advance(seconds: number): void
  /** Sets the clock. @param time milliseconds since the epoch */
  set(time: number): void
}

/**
 * A clock for tests.
 *
 * @param start milliseconds since the epoch
 *
 * @example
 * const clock = createFakeClock()
 * const devices = createTrustedDevices({ …, clock })
 * clock.advance(90 * 86_400)
 */
export function createFakeClock(start: number = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start
  return Object.assign(() => now, {
    advance(seconds: number): void {
      now += seconds * 1000
    },
    set(time: number): void {
      now = time
    },
  })
}
