import { AsyncLocalStorage } from 'node:async_hooks'

/** A function that runs a start-up once. Calls during that run wait for its end. */
export type Ready = ReturnType<typeof createReady>

/**
 * Creates a function that runs a start-up once. After a failure, the next call tries again. A call
 * from inside the start-up returns at once, because waiting would be a deadlock.
 */
export function createReady(start: () => Promise<void>) {
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
  /** Waits until the run in progress ends, with or without success. */
  const settled = async (): Promise<void> => {
    if (!isInside()) await running?.catch(() => {})
  }
  return Object.assign(ready, { isDone: (): boolean => isDone, settled })
}
