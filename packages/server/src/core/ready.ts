import { AsyncLocalStorage } from 'node:async_hooks'

/** The result of {@link createReady}. */
export type Ready = ReturnType<typeof createReady>

/**
 * Returns a function that calls `start` once. After a failure, the next call tries again. A call
 * from inside `start` returns at once, because waiting would be a deadlock.
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
  /** If `start` is running, waits until it succeeds or fails. Never rejects. */
  const settled = async (): Promise<void> => {
    if (!isInside()) await running?.catch(() => {})
  }
  return Object.assign(ready, { isDone: (): boolean => isDone, settled })
}
