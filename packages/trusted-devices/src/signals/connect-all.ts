import { AsyncLocalStorage } from 'node:async_hooks'

const disconnects = new AsyncLocalStorage<(() => void)[]>()

/**
 * Runs a function that connects receivers. When it fails, what it connected is disconnected, so that it may be called
 * again without a receiver that hears everything twice.
 */
export async function connectAll(connect: () => unknown): Promise<void> {
  const connected: (() => void)[] = []
  try {
    await disconnects.run(connected, connect)
  } catch (error) {
    for (const disconnect of connected) disconnect()
    throw error
  }
}

/** Notes a connection for {@link connectAll}, if it was made in one. */
export function noteConnection(disconnect: () => void): void {
  disconnects.getStore()?.push(disconnect)
}
