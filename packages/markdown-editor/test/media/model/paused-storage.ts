import type { Storage } from '@quillgate/markdown-editor'
import type { Pauses } from './pauses.ts'

export class StorageFault extends Error {}

/** A storage that pauses before each call except `list`, and can fail. */
export interface PausedStorage {
  readonly storage: Storage
  /** Makes the next copy or removal fail, alternately before and after the operation. */
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
