import { setTimeout as sleep } from 'node:timers/promises'

/** Pauses between concurrent statements and storage calls, so that these interleave randomly. */
export interface Pauses {
  /** Returns immediately, or waits for one turn of the event loop or some milliseconds. */
  pause(): Promise<void>
  /** Disables the pauses, or enables them again. */
  rest(isResting: boolean): void
}

export function createPauses(seed: number): Pauses {
  const random = createRandom(seed)
  let resting = true
  return {
    async pause() {
      if (resting) return
      const dice = random()
      if (dice < 0.45) return
      if (dice < 0.8) await new Promise((resolve) => setImmediate(resolve))
      else await sleep(dice < 0.97 ? 1 : dice < 0.99 ? 4 : 20)
    },
    rest(isResting) {
      resting = isResting
    },
  }
}

/** Creates a generator of numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
