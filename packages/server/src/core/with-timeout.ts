/** Waits for a promise. After the time limit, returns `late()` without cancelling the promise. */
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
