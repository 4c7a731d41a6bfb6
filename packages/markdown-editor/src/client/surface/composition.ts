/**
 * Watches a textarea for compositions, for example of a Chinese word, which must not be disturbed.
 *
 * @returns waits until none goes on
 */
export function watchComposition(textarea: HTMLTextAreaElement, signal: AbortSignal): () => Promise<void> {
  let composing = false
  const note = ({ type }: Event): void => {
    composing = type === 'compositionstart'
  }
  textarea.addEventListener('compositionstart', note, { signal })
  textarea.addEventListener('compositionend', note, { signal })
  return async () => {
    if (!composing) return
    await new Promise((resolve) => textarea.addEventListener('compositionend', resolve, { once: true, signal }))
    await new Promise((resolve) => setTimeout(resolve)) // The browser still has to write what was composed.
  }
}
