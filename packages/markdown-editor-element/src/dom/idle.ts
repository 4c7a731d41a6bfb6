/** A list of listeners. If one throws, the error is reported and the others are still called. */
export class Listeners<Args extends readonly unknown[] = []> {
  readonly #all: ((...args: Args) => void)[] = []

  add(listener: (...args: Args) => void): void {
    this.#all.push(listener)
  }

  call(...args: Args): void {
    for (const listener of this.#all) {
      try {
        listener(...args)
      } catch (error) {
        reportError(error)
      }
    }
  }
}

/** Calls a function when the browser is idle, or after half a second at the latest. */
export function whenIdle(run: () => void): void {
  if (globalThis.requestIdleCallback === undefined)
    setTimeout(run) // Safari has no idle callbacks.
  else requestIdleCallback(run, { timeout: 500 })
}

/** Returns a function that waits for the end of a composition, which edits would interrupt. */
export function watchComposition(host: HTMLElement, signal: AbortSignal): () => Promise<void> {
  let composing = false
  const note = ({ type }: Event): void => {
    composing = type === 'compositionstart'
  }
  host.addEventListener('compositionstart', note, { signal })
  host.addEventListener('compositionend', note, { signal })
  return async () => {
    if (!composing) return
    await new Promise((resolve) =>
      host.addEventListener('compositionend', resolve, { once: true, signal }),
    )
    // The browser writes the composed text after this event.
    await new Promise((resolve) => setTimeout(resolve))
  }
}
