/** Work that is repeated. */
export interface Polls {
  /** Polls at once, and from then on. */
  start(): void
  /** Begins no poll any more. */
  stop(): void
  /** Waits for the poll under way. */
  settle(): Promise<void>
}

/**
 * Repeats work with a pause after each poll. Pauses differ by up to a fifth, so that processes that
 * were started together do not poll together. The timer keeps no process alive.
 *
 * @param interval seconds; null: nothing is ever done
 */
export function createPolls(
  work: () => Promise<unknown>,
  interval: number | null,
  random: () => number,
  onError: (error: unknown) => void,
): Polls {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let isStarted = false
  let isStopped = false
  const next = (): void => {
    if (isStopped || interval === null) return
    timer = setTimeout(run, interval * 1000 * (0.8 + 0.4 * random()))
    timer.unref()
  }
  const run = (): void => {
    isStarted = true
    running = work()
      .then(() => {}, onError)
      .then(next)
  }
  return {
    start() {
      if (interval !== null && !isStarted) run()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
    settle: () => running,
  }
}
