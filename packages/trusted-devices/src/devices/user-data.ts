import { toUserId, type UserId } from '@quillgate/server/core'
import type { PersonalData, UserData } from '../privacy/personal-data.ts'
import type { Changes } from './changes.ts'
import type { Outcome } from './device-event.ts'
import { type EventOutlet, type RegistryParts, runAndPublish } from './registry.ts'
import { revokeDevices } from './revocation/revoke.ts'
import { forgetOwner } from './tables/device-database.ts'
import { withoutDetails } from './trusted-device.ts'
import type { DeletedUser, User } from './users.ts'

/** All places that store personal data of users. */
export interface DataPlaces {
  /**
   * The places of this component. The last one contains the owner's row, which is the lock of the
   * user.
   */
  readonly own: readonly PersonalData[]
  /** The places of other components. */
  readonly added: UserData[]
}

/** Everything that is stored about one user, as JSON in snake_case. Times are ISO 8601 in UTC. */
export interface UserExport {
  readonly format: 'quillgate.trusted-devices.user/1'
  readonly user_id: string
  readonly exported_at: string
  /**
   * The data by the name of its place, such as `devices`, `revoked_devices`, `first_login_at` or
   * `outbox`.
   */
  readonly data: Readonly<Record<string, unknown>>
}

/** Operations on all data of one user. */
export class UserOperations {
  readonly #parts: RegistryParts
  readonly #ready: () => Promise<void>
  readonly #outlet: EventOutlet

  /** Applications use `devices.users`. */
  constructor(parts: RegistryParts, ready: () => Promise<void>, outlet: EventOutlet) {
    this.#parts = parts
    this.#ready = ready
    this.#outlet = outlet
  }

  /** Returns a user from `users.findById`, or null. */
  async find(userId: UserId): Promise<User | null> {
    return this.#parts.users.find(toUserId(userId))
  }

  /**
   * Registers personal data of another component, so that `export`, `erase` and `deleted` include
   * it.
   */
  addData(place: UserData): void {
    this.#parts.places.added.push(place)
  }

  /**
   * Revokes all devices of a deleted user. Call it after the deletion.
   *
   * @returns the number of revoked devices
   */
  async deleted(userId: UserId): Promise<number> {
    const { changes, places } = this.#parts
    const id = toUserId(userId)
    return this.#run(() => removeUser(changes, places, id))
  }

  /**
   * Revokes all devices of a blocked user. Call it after the account was blocked.
   *
   * @returns the number of revoked devices
   */
  async deactivated(userId: UserId): Promise<number> {
    const { changes } = this.#parts
    const id = toUserId(userId)
    return this.#run(() => revokeDevices(changes, id, 'user_deactivated'))
  }

  /**
   * Returns everything that is stored about a user: devices, revoked devices, and events that wait
   * for delivery. If data changes during the export, the result may contain both the old and the
   * new state.
   */
  async export(userId: UserId): Promise<UserExport> {
    const { clock, db, places } = this.#parts
    const id = toUserId(userId)
    await this.#ready()
    const data: Record<string, unknown> = {}
    for (const place of [...places.added, ...places.own])
      data[place.name] = await place.export(db.executor, id)
    return {
      format: 'quillgate.trusted-devices.user/1',
      user_id: id,
      exported_at: new Date(clock()).toISOString(),
      data,
    }
  }

  /**
   * Erases everything that is stored about a user, and revokes their devices. In the signals, a
   * device has only its uid, owner, times and permissions, and `user` is `{ id }`.
   *
   * @returns the number of revoked devices
   */
  async erase(userId: UserId): Promise<number> {
    const { changes, places, users } = this.#parts
    const id = toUserId(userId)
    return this.#run(() => eraseUser(changes, places, id), users.deleted(id))
  }

  #run(work: () => Promise<Outcome<number>>, user?: DeletedUser): Promise<number> {
    return runAndPublish(this.#ready, this.#outlet, work, user)
  }
}

/**
 * Revokes a user's devices and erases all data. The revocations are published, because other
 * systems may have sessions of these devices.
 */
function eraseUser(
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

function removeUser(
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
