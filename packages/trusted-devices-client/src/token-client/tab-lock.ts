import type { TokenPlatform } from './platform.ts'

/** Runs work while no other tab runs its own under the same name, as far as the browser can tell. */
export type TabLock = <Result>(work: () => Promise<Result>) => Promise<Result>

// A tab that the browser has put to sleep may hold its lock for hours (iOS). The exchange of tokens is safe without a
// lock, which only saves requests, so nobody waits longer.
const PATIENCE = 15_000
const LEASE = 12_000
const LOOK_AGAIN = 50
const SPREAD = 2_000

/** Web Locks; where there are none, a lease in the storage, which tabs that start in the same moment may both get. */
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
        return work()
      })
    } catch (error) {
      got.abort()
      if (run.started) throw error
      await wait(SPREAD * random()) // Others lose their patience in the same moment; one is enough.
      return work()
    }
  }
}

function leaseLock({ storage, clock, wait, random }: TokenPlatform, key: string): TabLock {
  const id = `${random()}`
  const isFree = (): boolean => {
    const [owner, until] = (storage.getItem(key) ?? '').split(' ')
    const end = Number(until)
    // A lease of the future is one of a clock that was set back.
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
    while (!(await take())) {
      await wait(LOOK_AGAIN)
      if (Math.abs(clock() - start) < PATIENCE) continue
      await wait(SPREAD * random())
      break
    }
    try {
      return await work()
    } finally {
      if (storage.getItem(key)?.startsWith(`${id} `)) storage.removeItem(key)
    }
  }
}
