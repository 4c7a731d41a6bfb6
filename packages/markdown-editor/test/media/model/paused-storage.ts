import type { Storage } from '@quillgate/markdown-editor'
import type { Pauses } from './pauses.ts'

/** What a storage that is out of order throws. */
export class StorageFault extends Error {}

/** A storage whose calls take their time, and can be made to fail. */
export interface PausedStorage {
  readonly storage: Storage
  /** Makes one of the next copies and removals fail: the first before it was done, the second after, and so on. */
  failOnce(): void
  heal(): void
}

export function pausedStorage(inner: Storage, pauses: Pauses): PausedStorage {
  let faults = 0
  let failures = 0
  const failing = async (work: () => Promise<boolean>): Promise<boolean> => {
    await pauses.pause()
    if (faults === 0) return work()
    faults--
    if (failures++ % 2) await work()
    throw new StorageFault('The storage is out of order.')
  }
  const paused = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await pauses.pause()
    return work()
  }
  return {
    storage: {
      write: (...args) => paused(() => inner.write(...args)),
      read: (...args) => paused(() => inner.read(...args)),
      stat: (key) => paused(() => inner.stat(key)),
      list: (prefix) => inner.list(prefix),
      copy: (from, to) => failing(() => inner.copy(from, to)),
      remove: (key) => failing(() => inner.remove(key)),
    },
    failOnce: () => void faults++,
    heal: () => {
      faults = 0
    },
  }
}
