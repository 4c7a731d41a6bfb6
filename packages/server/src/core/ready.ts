import { AsyncLocalStorage } from 'node:async_hooks'

/** A start-up. Call it to wait for its end. */
export interface Ready {
  (): Promise<void>
  /** True when it has ended well. */
  isDone(): boolean
  /**
   * Waits for the end of one that runs, good or bad; begins none. Within the start-up itself it
   * does not wait.
   */
  settled(): Promise<void>
}

/**
 * Makes a function that begins a start-up in the background, once. It never throws or rejects: a
 * failure is reported, and the first request tries again.
 *
 * @param report called with the reason, in one line
 */
export function startInBackground(
  ready: () => Promise<void>,
  report: (reason: string) => void,
): () => void {
  let isStarted = false
  return () => {
    if (isStarted) return
    isStarted = true
    ready().catch((error: unknown) => {
      report((error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' '))
    })
  }
}

/**
 * Runs a start-up once, however often it is called. After a failure the next call tries again.
 * Calls inside the start-up itself do not wait for it, because they would wait without end.
 *
 * @param start the work before the first request
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
  const ready = (): Promise<void> => {
    if (attempt.getStore()?.isRunning) return Promise.resolve()
    running ??= run()
    return running
  }
  const settled = async (): Promise<void> => {
    if (!attempt.getStore()?.isRunning) await running?.catch(() => {})
  }
  return Object.assign(ready, { isDone: () => isDone, settled })
}
