import { AsyncLocalStorage } from 'node:async_hooks'
import { ConfigurationError, withTimeout } from '@quillgate/server/core'

const PATIENCE = 30 // Seconds.

const disconnects = new AsyncLocalStorage<(() => void)[]>()

/**
 * Calls the option `receivers`, which connects receivers. If it fails, disconnects what it
 * connected, so that it may be called again without receivers that are called twice.
 *
 * @throws ConfigurationError if it takes longer than 30 s, because no request is answered before
 */
export async function connectReceivers(receivers: () => unknown): Promise<void> {
  const connected: (() => void)[] = []
  const connect = async (): Promise<unknown> => receivers()
  const late = (): never => {
    const problem = `was not done within ${PATIENCE} s; look what it waits for`
    throw new ConfigurationError('receivers', problem)
  }
  try {
    await disconnects.run(connected, () => withTimeout(PATIENCE, connect(), late))
  } catch (error) {
    for (const disconnect of connected) disconnect()
    throw error
  }
}

/** Remembers a connection for {@link connectReceivers}, if it was made there. */
export function noteConnection(disconnect: () => void): void {
  disconnects.getStore()?.push(disconnect)
}
