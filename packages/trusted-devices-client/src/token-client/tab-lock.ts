import type { TokenPlatform } from './platform.ts'

/**
 * Runs `work` while this tab has the lock, so that no other tab runs work at the same time. If
 * another tab keeps the lock for 15 seconds or the browser has no Web Locks, runs `work` without
 * the lock. `isHeld` is then false.
 */
export type TabLock = <Result>(work: (isHeld: boolean) => Promise<Result>) => Promise<Result>

// The maximum time in milliseconds to wait for the lock. On iOS, a suspended tab can keep the lock
// for hours.
const PATIENCE = 15_000
// The maximum random delay in milliseconds before `work` runs without the lock. Several tabs often
// begin at the same moment. With different delays, the first tab can renew the tokens for all tabs.
const SPREAD_AFTER_PATIENCE = 2_000
const SPREAD_WITHOUT_LOCKS = 500

/** Creates a lock for all tabs. Uses Web Locks, which browsers provide only in secure contexts. */
export function createTabLock({ locks, wait, random }: TokenPlatform, name: string): TabLock {
  return async (work) => {
    const waiting = new AbortController()
    const got = new AbortController()
    try {
      if (locks !== null) {
        void wait(PATIENCE, got.signal).then(() => {
          if (!got.signal.aborted) waiting.abort()
        })
        return await locks.request(name, { signal: waiting.signal }, () => {
          got.abort()
          return work(true)
        })
      }
    } catch (error) {
      if (got.signal.aborted) throw error
      got.abort()
    }
    await wait(random() * (locks === null ? SPREAD_WITHOUT_LOCKS : SPREAD_AFTER_PATIENCE))
    return work(false)
  }
}
