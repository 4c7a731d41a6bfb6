import { AsyncLocalStorage } from 'node:async_hooks'

const lax = new AsyncLocalStorage<true>()

/** Runs one statement whose effect a power failure may undo, where that is quicker. */
export function withoutDurability<Result>(statement: () => Promise<Result>): Promise<Result> {
  return lax.run(true, statement)
}

/** Whether what runs now is to be on disk before it is reported. */
export function isDurabilityNeeded(): boolean {
  return lax.getStore() === undefined
}
