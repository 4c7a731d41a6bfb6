/**
 * Lets concurrent callers share a slow step, such as syncing a file. A run serves the calls that
 * were made before it began. Calls made while one is running share the next one.
 * @example
 * const sync = combineRuns(() => handle.sync())
 * await Promise.all([write(a).then(sync), write(b).then(sync)])
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
