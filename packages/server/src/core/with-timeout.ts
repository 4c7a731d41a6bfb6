/**
 * Waits for a promise for a limited time. A promise that takes longer is not cancelled.
 *
 * @param late called if the promise takes longer; its result is returned
 */
export async function withTimeout<Value, Late>(
  seconds: number,
  value: Promise<Value>,
  late: () => Late,
): Promise<Value | Late> {
  const { promise: passed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, seconds * 1000)
  try {
    return await Promise.race([value, passed.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
