/** Work that is done again and again. */
export interface Rounds {
  start(): void
  /** No round begins any more. */
  stop(): void
  /** Waits for the round under way. */
  settle(): Promise<void>
}

/**
 * Makes rounds one after the other, with a pause between them that differs by up to a fifth, so that processes that were
 * started together do not look together. Its timer keeps no process alive.
 *
 * @param interval seconds; null: there are no rounds
 */
export function createRounds(
  work: () => Promise<unknown>,
  interval: number | null,
  random: () => number,
  onError: (error: unknown) => void,
): Rounds {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let isStopped = false
  const next = (): void => {
    if (isStopped || interval === null) return
    timer = setTimeout(run, interval * 1000 * (0.8 + 0.4 * random()))
    timer.unref()
  }
  const run = (): void => {
    running = work()
      .then(() => {}, onError)
      .then(next)
  }
  return {
    start() {
      if (timer === undefined) next()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
    settle: () => running,
  }
}
