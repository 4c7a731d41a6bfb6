import type { DeviceEvent } from '../device-event.ts'

/** Users whose receivers run at the same time. It bounds the memory of a run over all users. */
const USERS_AT_ONCE = 20

/**
 * Changes users one after the other, and publishes the events of several users side by side. A
 * user's change begins when there is room for the receivers.
 *
 * @param change changes one user, and returns the events
 * @param publish resolves when the receivers of one user are done; does not reject
 */
export async function publishSideBySide(
  users: AsyncIterable<string>,
  change: (userId: string) => Promise<readonly DeviceEvent[]>,
  publish: (events: readonly DeviceEvent[]) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  try {
    for await (const userId of users) {
      while (running.size >= USERS_AT_ONCE) await Promise.race(running)
      const published = publish(await change(userId)).finally(() => running.delete(published))
      running.add(published)
    }
  } finally {
    await Promise.all(running)
  }
}
