import type { TokenPlatform } from './platform.ts'

/**
 * Runs `work` while no other tab runs its own under the same name. After 15 seconds it runs `work`
 * without the lock, and `isHeld` is false.
 */
export type TabLock = <Result>(work: (isHeld: boolean) => Promise<Result>) => Promise<Result>

// A tab that the browser has suspended can hold its lock for hours (iOS).
const PATIENCE = 15_000
const LEASE = 12_000
const LOOK_AGAIN = 50
const SPREAD = 2_000

/**
 * Uses Web Locks if available, otherwise a lease in the storage. Tabs that start at the same moment
 * can both get a lease.
 */
export function createTabLock(platform: TokenPlatform, name: string): TabLock {
  return platform.locks === null
    ? leaseLock(platform, `${name}.lease`)
    : webLock(platform, platform.locks, name)
}

function webLock(
  { wait, random }: TokenPlatform,
  locks: NonNullable<TokenPlatform['locks']>,
  name: string,
): TabLock {
  return async (work) => {
    const waiting = new AbortController()
    const got = new AbortController()
    void wait(PATIENCE, got.signal).then(() => {
      if (!got.signal.aborted) waiting.abort()
    })
    const run = { started: false }
    try {
      return await locks.request(name, { signal: waiting.signal }, () => {
        run.started = true
        got.abort()
        return work(true)
      })
    } catch (error) {
      got.abort()
      if (run.started) throw error
      await wait(SPREAD * random()) // Other tabs stop waiting at the same moment; one is enough.
      return work(false)
    }
  }
}

function leaseLock({ storage, clock, wait, random }: TokenPlatform, key: string): TabLock {
  const id = `${random()}`
  const isFree = (): boolean => {
    const [owner, until] = (storage.getItem(key) ?? '').split(' ')
    const end = Number(until)
    // A lease too far in the future comes from before the clock was set back.
    return !owner || owner === id || !(end > clock() && end <= clock() + LEASE)
  }
  const take = async (): Promise<boolean> => {
    if (!isFree()) return false
    storage.setItem(key, `${id} ${clock() + LEASE}`)
    await wait(LOOK_AGAIN * random())
    return storage.getItem(key)?.startsWith(`${id} `) ?? false
  }
  return async (work) => {
    const start = clock()
    let isHeld = await take()
    while (!isHeld && Math.abs(clock() - start) < PATIENCE) {
      await wait(LOOK_AGAIN)
      isHeld = await take()
    }
    if (!isHeld) await wait(SPREAD * random())
    try {
      return await work(isHeld)
    } finally {
      if (storage.getItem(key)?.startsWith(`${id} `)) storage.removeItem(key)
    }
  }
}
