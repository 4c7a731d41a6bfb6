import type { DeviceEvent, Outcome } from '../device-event.ts'

/** Publishes the events of one user, and waits for the receivers. Does not reject. */
export type PublishFully = (events: readonly DeviceEvent[]) => Promise<void>

/** A user whose devices could not be revoked. */
export interface CleanupFailure {
  readonly userId: string
  readonly error: unknown
}

/** The result of a revocation from many users. */
export interface ManyRevoked {
  readonly revoked: number
  /** Users whose devices could not be revoked. The devices of the others were. */
  readonly failures: readonly CleanupFailure[]
}

/**
 * The number of users whose receivers run at the same time. It bounds the memory of a run over all
 * users.
 */
const USERS_AT_ONCE = 20

/**
 * Revokes devices of users one after the other, and publishes the events of several users side by
 * side. A user's change begins when there is room for the receivers.
 *
 * @param users a user who failed is not tried again
 * @param revoke changes one user; the result is the number of devices
 */
export async function revokeFromMany(
  users: AsyncIterable<string>,
  revoke: (userId: string) => Promise<Outcome<number>>,
  publish: PublishFully,
): Promise<ManyRevoked> {
  let revoked = 0
  const failures = new Map<string, unknown>()
  const running = new Set<Promise<void>>()
  try {
    for await (const userId of users) {
      if (failures.has(userId)) continue
      while (running.size >= USERS_AT_ONCE) await Promise.race(running)
      try {
        const { result, events } = await revoke(userId)
        revoked += result
        const published = publish(events).finally(() => running.delete(published))
        running.add(published)
      } catch (error) {
        failures.set(userId, error)
      }
    }
  } finally {
    await Promise.all(running)
  }
  return { revoked, failures: [...failures].map(([userId, error]) => ({ userId, error })) }
}
