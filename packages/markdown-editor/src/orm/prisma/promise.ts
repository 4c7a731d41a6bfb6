import { transactionMisuse } from '../errors.ts'

/**
 * An operation as Prisma gives it: it begins when somebody waits for it, and only once. It refuses to be part of a
 * `$transaction([…])` of another client than the one that made it.
 */
export function lazily<Result>(begin: () => Promise<Result>): Promise<Result> {
  let running: Promise<Result> | undefined
  const run = (): Promise<Result> => {
    running ??= begin()
    return running
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: operations of Prisma are thenables, for they begin when awaited
    then: (onFulfilled, onRejected) => run().then(onFulfilled, onRejected),
    catch: (onRejected) => run().catch(onRejected),
    finally: (onFinally) => run().finally(onFinally),
    requestTransaction: () => {
      throw transactionMisuse('Give $transaction operations of the client on which it is called.')
    },
    [Symbol.toStringTag]: 'PrismaPromise',
  } as Promise<Result>
}
