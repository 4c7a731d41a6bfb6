import { toUserId, type UserId } from '@quillgate/server/core'
import type { UserData } from '../privacy/personal-data.ts'
import type { RegistryParts } from './registry.ts'
import { revokeDevices } from './revocation/revoke.ts'
import type { DeviceRecord } from './tables/device-record.ts'
import { withoutDetails } from './tables/trusted-device.ts'
import type { User } from './users.ts'

/** Everything that is stored about one user, as JSON in snake_case. Times are ISO 8601 in UTC. */
export interface UserExport {
  readonly format: 'quillgate.trusted-devices.user/1'
  readonly user_id: string
  readonly exported_at: string
  /** The data by its name, such as `devices`, `revoked_devices`, `first_login_at` or `outbox`. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Operations on all data of one user. */
export class UserOperations {
  readonly #parts: RegistryParts

  /** Applications use `devices.users` instead. */
  constructor(parts: RegistryParts) {
    this.#parts = parts
  }

  /** Returns a user from `users.findById`, or null. */
  async find(userId: UserId): Promise<User | null> {
    return this.#parts.users.find(toUserId(userId))
  }

  /**
   * Registers personal data of another component, so that `export`, `erase` and `deleted` include
   * it.
   */
  addData(data: UserData): void {
    this.#parts.personalData.unshift(data)
  }

  /**
   * Revokes all devices of a deleted user, and deletes the stored data except events in the outbox.
   * Call this method after the account was deleted.
   *
   * @returns the number of revoked devices
   */
  async deleted(userId: UserId): Promise<number> {
    return this.#remove(toUserId(userId), false)
  }

  /**
   * Revokes all devices of a blocked user. Call this method after the account was blocked.
   *
   * @returns the number of revoked devices
   */
  async deactivated(userId: UserId): Promise<number> {
    const id = toUserId(userId)
    await this.#parts.ready()
    return revokeDevices(this.#parts.changes, id, 'user_deactivated')
  }

  /**
   * Returns everything that is stored about a user, for example devices, revoked devices and events
   * in the outbox. If the data changes during the export, the result may contain the old and the
   * new state.
   */
  async export(userId: UserId): Promise<UserExport> {
    const { clock, db, personalData, ready } = this.#parts
    const id = toUserId(userId)
    await ready()
    const data: Record<string, unknown> = {}
    for (const part of personalData) data[part.name] = await part.export(db.executor, id)
    return {
      format: 'quillgate.trusted-devices.user/1',
      user_id: id,
      exported_at: new Date(clock()).toISOString(),
      data,
    }
  }

  /**
   * Erases everything that is stored about a user, and revokes the devices. In the signals,
   * `device` has only its uid, owner, times and permissions, and `user` is `{ id }`.
   *
   * @returns the number of revoked devices
   */
  async erase(userId: UserId): Promise<number> {
    return this.#remove(toUserId(userId), true)
  }

  /**
   * Revokes a user's devices and deletes the data. The revocations are published, because other
   * systems may have sessions of these devices.
   *
   * @param erases true: also removes the details of devices from events
   */
  async #remove(userId: string, erases: boolean): Promise<number> {
    const { changes, personalData, ready, users } = this.#parts
    const erased = personalData.filter(({ name }) => erases || name !== 'outbox')
    await ready()
    return changes.apply(userId, users.deleted(userId), async (change) => {
      const removed = await change.devices.removeAll(userId)
      const shown = ({ device }: DeviceRecord) => (erases ? withoutDetails(device) : device)
      const shownRecords = removed.map((record) => ({ ...record, device: shown(record) }))
      await change.recordRevoked(shownRecords, 'user_deleted', null)
      for (const part of erased) await part.erase(change.tx, userId)
      return removed.length
    })
  }
}
