/** Lets so much work be done at once; the rest waits in line, first come, first served. */
export interface Semaphore {
  /** Waits for a place. Give it back with the returned function, once. */
  acquire(): Promise<() => void>
  /** How many wait. */
  readonly waiting: number
}

/** @param count how many places there are */
export function createSemaphore(count: number): Semaphore {
  const line: (() => void)[] = []
  let free = count
  const release = (): void => {
    const next = line.shift()
    if (next) next()
    else free++
  }
  return {
    async acquire() {
      if (free > 0) free--
      else await new Promise<void>((resolve) => line.push(resolve))
      return release
    },
    get waiting() {
      return line.length
    },
  }
}
