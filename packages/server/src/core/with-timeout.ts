/** Waits for a limited time. A promise that takes longer is not cancelled, but `late` is called. */
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
