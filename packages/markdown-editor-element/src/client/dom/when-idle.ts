/**
 * Calls a function when nothing else is going on.
 *
 * @param timeout milliseconds after which it is called all the same
 */
export function whenIdle(run: () => void, timeout = 1000): void {
  if (globalThis.requestIdleCallback === undefined)
    setTimeout(run) // Safari has none.
  else requestIdleCallback(run, { timeout })
}
