import type { Outcome } from './device-event.ts'
import type { Parts } from './registry-parts.ts'
import { TrustedDevice } from './trusted-device.ts'

/** Everything that is stored about one user, as JSON in snake_case. Times are ISO 8601 in UTC. */
export interface UserExport {
  readonly format: 'quillgate.trusted-devices.user/1'
  readonly user_id: string
  readonly exported_at: string
  /**
   * By place: `devices`, `past_devices`, `countries`, `first_login_at`, and what else is in use.
   */
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Reads everything of a user. Of what changes meanwhile it may show both the old and the new state.
 */
export async function exportUser(
  { db, personalData, otherData, clock }: Parts<'clock' | 'db' | 'otherData' | 'personalData'>,
  userId: string,
): Promise<UserExport> {
  const data: Record<string, unknown> = {}
  const places = [...otherData, ...personalData]
  for (const place of places) data[place.name] = await place.export(db.executor, userId)
  return {
    format: 'quillgate.trusted-devices.user/1',
    user_id: userId,
    exported_at: new Date(clock()).toISOString(),
    data,
  }
}

/**
 * Revokes all devices of a user and erases everything that is stored about them. The revocations
 * are published, because other systems may have sessions of these devices. They say only which
 * device it was. The result is the number of devices.
 */
export function eraseUser(
  parts: Parts<'changes' | 'otherData' | 'personalData' | 'removal'>,
  userId: string,
): Promise<Outcome<number>> {
  return parts.changes.run(userId, async (change) => {
    const removed = await parts.removal.all(change.tx, userId)
    await change.revoked(
      removed.map((record) => ({ ...record, device: withoutDetails(record.device) })),
      'user_deleted',
      null,
    )
    const places = [...parts.otherData, ...parts.personalData]
    for (const place of places) await place.erase(change.tx, userId)
    return removed.length
  })
}

/** Returns a device with only its uid, owner and times. */
export function withoutDetails(device: TrustedDevice): TrustedDevice {
  return new TrustedDevice({
    ...device,
    name: '',
    city: null,
    country: null,
    address: null,
    lastAddress: null,
    userAgent: '',
    browser: null,
    os: null,
    deviceType: null,
  })
}
