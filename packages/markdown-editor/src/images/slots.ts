/** Runs steps, at most so many at once; others wait for their turn in order. */
export function createSlots(
  count: number,
): <Result>(step: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let free = count
  return async (step) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await step()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
