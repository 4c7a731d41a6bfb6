import { AsyncLocalStorage } from 'node:async_hooks'

/** Runs a start-up, or waits for the one that runs. */
export interface Ready {
  (): Promise<void>
  /** Returns true after it has succeeded. */
  isDone(): boolean
  /** Waits for the end of a start-up that runs, whether it succeeds or not. Begins none. */
  settled(): Promise<void>
}

/**
 * Creates a function that runs a start-up once. After a failure the next call tries again. Calls
 * inside the start-up itself do not wait for it, because they would wait without end.
 */
export function createReady(start: () => Promise<void>): Ready {
  let running: Promise<void> | null = null
  let isDone = false
  const attempt = new AsyncLocalStorage<{ isRunning: boolean }>()
  const run = async (): Promise<void> => {
    const state = { isRunning: true }
    try {
      await attempt.run(state, start)
      isDone = true
    } catch (error) {
      running = null
      throw error
    } finally {
      state.isRunning = false
    }
  }
  const isInside = (): boolean => attempt.getStore()?.isRunning === true
  const ready = async (): Promise<void> => {
    running ??= isInside() ? null : run()
    if (!isInside()) await running
  }
  const settled = async (): Promise<void> => {
    if (!isInside()) await running?.catch(() => {})
  }
  return Object.assign(ready, { isDone: () => isDone, settled })
}
