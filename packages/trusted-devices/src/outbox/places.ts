/** Lets so many work at once; the others wait in line. */
export interface Places {
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

/** @param count how many places there are */
export function createPlaces(count: number): Places {
  const waiting: (() => void)[] = []
  let free = count
  return {
    async run(work) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else free++
      }
    },
  }
}
