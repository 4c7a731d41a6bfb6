/** Thrown if the HTML of a text would be larger than the renderer's limit. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

/** Runs `work`. Returns null if it exceeds the limit of a renderer, a string or the stack. */
export function unlessTooLarge<Result>(work: () => Result): Result | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof TooLargeError || isOverflow(error)) return null
    throw error
  }
}

const overflow = /call stack size|string length|maximum size exceeded|out of memory/i

// V8 and JavaScriptCore throw a RangeError, which also reports wrong arguments. SpiderMonkey throws
// an InternalError. V8 throws a SyntaxError if the stack overflows in a regular expression.
function isOverflow(error: unknown): boolean {
  if (error instanceof RangeError) return overflow.test(error.message)
  if (error instanceof SyntaxError) return error.message.endsWith('Stack overflow')
  return error instanceof Error && error.name === 'InternalError'
}
