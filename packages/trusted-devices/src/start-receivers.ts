import { ConfigurationError } from '@quillgate/http'
import { connectAll } from './signals/connect-all.ts'

const PATIENCE = 30 // Seconds.

/**
 * Calls the option `receivers`.
 *
 * @throws ConfigurationError when it is not done in time, for else no request would ever be answered
 */
export async function startReceivers(receivers: () => unknown): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new ConfigurationError('receivers', `was not done within ${PATIENCE} s; look what it waits for`))
  }, PATIENCE * 1000)
  try {
    await connectAll(() => Promise.race([receivers(), late]))
  } finally {
    clearTimeout(timer)
  }
}
