/** Calls a function when something is due, also what other processes left behind. */
export interface WakeUp {
  /** Begins: calls it at once. */
  start(): void
  /** Calls it again at this time at the latest. @param at milliseconds of the same clock */
  by(at: number): void
  stop(): void
}

const LONGEST = 3_600_000 // Also what a node finds that nobody told of it.
const SHORTEST = 1000

/**
 * Creates a timer that keeps no process alive.
 *
 * @param work gives when it should be called next, in milliseconds of `clock`, or null; it must not reject
 */
export function createWakeUp(work: () => Promise<number | null>, clock: () => number): WakeUp {
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Number.POSITIVE_INFINITY
  let isOn = false
  const set = (at: number): void => {
    if (!isOn || at >= wakesAt) return
    clearTimeout(timer)
    wakesAt = at
    timer = setTimeout(() => void wake(), Math.min(Math.max(at - clock(), SHORTEST), LONGEST))
    timer.unref()
  }
  const wake = async (): Promise<void> => {
    wakesAt = Number.POSITIVE_INFINITY
    const next = await work()
    set(Math.min(next ?? Number.POSITIVE_INFINITY, clock() + LONGEST))
  }
  return {
    start() {
      isOn = true
      void wake()
    },
    by: set,
    stop() {
      isOn = false
      clearTimeout(timer)
    },
  }
}
