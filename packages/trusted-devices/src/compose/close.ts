/** One thing to end. */
export type CloseStep = () => unknown

/**
 * Creates a function that runs all steps in order, also if some of them fail, and only once: later
 * calls return the same promise.
 *
 * @throws the returned function: the first error of a step, after the last one
 */
export function createClose(steps: readonly CloseStep[]): () => Promise<void> {
  const run = async (): Promise<void> => {
    const errors: unknown[] = []
    for (const step of steps) {
      try {
        await step()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
  let closing: Promise<void> | undefined
  return () => {
    closing ??= run()
    return closing
  }
}
