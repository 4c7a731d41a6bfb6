/** Calls a function when nothing else is going on, or a second later. */
export function whenIdle(run: () => void): void {
  if (globalThis.requestIdleCallback === undefined)
    setTimeout(run) // Safari has none.
  else requestIdleCallback(run, { timeout: 1000 })
}
