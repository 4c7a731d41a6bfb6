/** Thrown if the HTML of a text would be larger than the renderer's limit. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

/** Runs `work`. Returns null if the output, any string or the call stack becomes too large. */
export function unlessTooLarge<Result>(work: () => Result): Result | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof TooLargeError || isOverflow(error)) return null
    throw error
  }
}

const overflow = /call stack size|string length|maximum size exceeded|out of memory/i

// V8 and JavaScriptCore throw a RangeError. Its message is checked, because wrong arguments cause a
// RangeError too. SpiderMonkey throws an InternalError. If the stack overflows in a regular
// expression, V8 throws a SyntaxError.
function isOverflow(error: unknown): boolean {
  if (error instanceof RangeError) return overflow.test(error.message)
  if (error instanceof SyntaxError) return error.message.endsWith('Stack overflow')
  return error instanceof Error && error.name === 'InternalError'
}
