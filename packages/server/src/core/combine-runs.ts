/**
 * Returns a function that runs a slow step once for several callers. All calls during a run share
 * the next run, because the current run may miss the changes of these callers.
 */
export function combineRuns(step: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = (): Promise<void> => {
    next = null
    const run = step().finally(() => {
      if (running === run) running = null
    })
    running = run
    return run
  }
  return () => {
    if (next) return next
    if (!running) return start()
    next = running.then(start, start)
    return next
  }
}
