import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits for a promise, but not for ever. The process does not end meanwhile: somebody awaits this.
 *
 * @param milliseconds at most so long
 * @throws what the promise rejects with, if that is sooner
 */
export async function waitAtMost(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  const done = new AbortController()
  try {
    await Promise.race([promise, sleep(milliseconds, undefined, { signal: done.signal }).catch(() => {})])
  } finally {
    done.abort()
  }
}
