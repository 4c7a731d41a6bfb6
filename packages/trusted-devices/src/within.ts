/**
 * What a promise gives, or what `late` gives or throws when it takes longer. The promise goes on by itself.
 *
 * @param seconds the longest wait
 */
export async function within<Value, Late>(
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
