import type { PersonalData, UserData } from '../privacy/personal-data.ts'
import type { Changes } from './changes.ts'
import type { Outcome } from './device-event.ts'
import { type DeviceDatabase, forgetOwner } from './tables/device-database.ts'
import { withoutDetails } from './trusted-device.ts'

/** Every place that keeps data of users. */
export interface DataPlaces {
  /** Places of this component. The owner's row is the last one. */
  readonly own: readonly PersonalData[]
  /** Places of other components. */
  readonly added: UserData[]
}

/** Everything that is stored about one user, as JSON in snake_case. Times are ISO 8601 in UTC. */
export interface UserExport {
  readonly format: 'quillgate.trusted-devices.user/1'
  readonly user_id: string
  readonly exported_at: string
  /** By place: `devices`, `revoked_devices`, `first_login_at`, and what else is in use. */
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Reads everything of a user. Of data that changes meanwhile, it may contain both the old and the
 * new state.
 *
 * @param now milliseconds since the epoch
 */
export async function exportUser(
  { executor }: DeviceDatabase,
  { own, added }: DataPlaces,
  userId: string,
  now: number,
): Promise<UserExport> {
  const data: Record<string, unknown> = {}
  for (const place of [...added, ...own]) data[place.name] = await place.export(executor, userId)
  return {
    format: 'quillgate.trusted-devices.user/1',
    user_id: userId,
    exported_at: new Date(now).toISOString(),
    data,
  }
}

/**
 * Revokes all devices of a user and erases everything that is stored about them. The revocations
 * are published, because other systems may have sessions of these devices. They contain only which
 * device it was. The result is the number of devices.
 */
export function eraseUser(
  changes: Changes,
  { own, added }: DataPlaces,
  userId: string,
): Promise<Outcome<number>> {
  return changes.run(userId, async (change) => {
    const removed = await change.devices.removeAll(userId)
    const ended = removed.map((record) => ({ ...record, device: withoutDetails(record.device) }))
    await change.ended(ended, 'user_deleted', null)
    for (const place of [...added, ...own]) await place.erase(change.tx, userId)
    return removed.length
  })
}

/** Revokes all devices of a deleted user, and forgets the user. The result is the number of devices. */
export function removeUser(
  changes: Changes,
  { added }: DataPlaces,
  userId: string,
): Promise<Outcome<number>> {
  return changes.run(userId, async (change) => {
    const removed = await change.devices.removeAll(userId)
    await change.ended(removed, 'user_deleted', null)
    await change.revoked.forgetUser(userId)
    for (const place of added) await place.erase(change.tx, userId)
    await forgetOwner(change.devices.rows, userId)
    return removed.length
  })
}
