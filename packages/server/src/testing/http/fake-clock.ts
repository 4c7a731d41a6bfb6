/** A clock that changes only when `advance` or `set` is called. Call the clock to read the time. */
export interface FakeClock {
  /** Returns the time in milliseconds since the epoch. */
  (): number
  /** Moves the clock forward. @param ms milliseconds */
  advance(ms: number): void
  /** Sets the clock. @param ms milliseconds since the epoch */
  set(ms: number): void
}

/**
 * Creates a clock for tests. Pass it as the option `clock`.
 *
 * @param start milliseconds since the epoch
 * @example
 * const clock = createFakeClock()
 * const gate = createQuillgate({ …, clock })
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
