/** A start-up. Call it to wait for its end. */
export interface Ready {
  (): Promise<void>
  /** True when it has ended well. */
  isDone(): boolean
}

/**
 * Runs a start-up once, however often it is asked for. After a failure the next call tries again.
 *
 * @param start what must be done before the first request
 */
export function createReady(start: () => Promise<void>): Ready {
  let running: Promise<void> | null = null
  let isDone = false
  const run = async (): Promise<void> => {
    try {
      await start()
      isDone = true
    } catch (error) {
      running = null
      throw error
    }
  }
  const ready = (): Promise<void> => {
    running ??= run()
    return running
  }
  return Object.assign(ready, { isDone: () => isDone })
}
