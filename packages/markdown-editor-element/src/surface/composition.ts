/**
 * Watches for compositions, for example of a Chinese word, which edits must not interrupt.
 *
 * @param host an element around the writing area
 * @returns a function that resolves when there is no composition
 */
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
    await new Promise((resolve) => setTimeout(resolve)) // The browser still has to write what was composed.
  }
}
