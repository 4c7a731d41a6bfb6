/**
 * Makes a slow step that serves everybody who waits for it at once, such as syncing a file. A run
 * serves those who asked before it began: who asks while one is running gets the next, together
 * with all others who do.
 *
 * @returns asks for a run; rejects as that run does
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
