/** What a text would become is larger than a renderer makes. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

// What a function of the application threw, on its way through the engine.
class ForeignError extends Error {}

/**
 * Gives back a function of the application, so that what it throws comes through {@link unlessTooLarge} as it is.
 */
export function foreign<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => {
    try {
      return call(...args)
    } catch (cause) {
      throw new ForeignError('A function of the application has thrown.', { cause })
    }
  }
}

/**
 * Does some work, or something else when there is no room for its result: in a string, on the stack, or because a small
 * text would become a huge page.
 *
 * @throws whatever else the work throws
 */
export function unlessTooLarge<Result>(work: () => Result, otherwise: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof ForeignError) throw error.cause
    if (error instanceof TooLargeError || isOverflow(error)) return otherwise()
    throw error
  }
}

const overflow = /call stack size|string length|maximum size exceeded|out of memory/i

// What JavaScript engines throw when they have no room left: V8 and JavaScriptCore a RangeError, which a wrong argument
// is too, SpiderMonkey an error of its own, and V8 a SyntaxError when a regular expression finds the stack full.
function isOverflow(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof RangeError) return overflow.test(error.message)
  return (
    error.name === 'InternalError' ||
    (error instanceof SyntaxError && error.message.endsWith('Stack overflow'))
  )
}
