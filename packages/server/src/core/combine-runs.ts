/**
 * Returns a function that calls the slow function `step` once for several callers. If `step` is
 * running, new callers share one further call, because the current call may miss their changes.
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
