/** Calls a function when the browser is idle, or after half a second at the latest. */
export function whenIdle(run: () => void): void {
  if (globalThis.requestIdleCallback === undefined)
    setTimeout(run) // Safari has no idle callbacks.
  else requestIdleCallback(run, { timeout: 500 })
}
