import type { PersonalData, UserData } from '../privacy/personal-data.ts'
import type { AllSettings } from '../settings.ts'
import type { CreateUuid } from '../uuid.ts'
import type { Changes } from './changes.ts'
import type { DeviceCache } from './device-cache.ts'
import type { DeviceAddresses } from './tables/device-addresses.ts'
import type { DeviceDatabase } from './tables/device-database.ts'
import type { DeviceRemoval } from './tables/device-removal.ts'
import type { DeviceTable } from './tables/device-table.ts'
import type { RevokedDevices } from './tables/revoked-devices.ts'

/** The parts of the registry. Each function names those that it uses: {@link Parts}. */
export interface RegistryParts {
  readonly changes: Changes
  readonly db: DeviceDatabase
  readonly table: DeviceTable
  readonly removal: DeviceRemoval
  readonly revoked: RevokedDevices
  readonly addresses: DeviceAddresses
  /** Every place that keeps personal data; the owner's row is the last one. */
  readonly personalData: readonly PersonalData[]
  /** Places of other components, which `users.addData` adds. */
  readonly otherData: UserData[]
  readonly cache: DeviceCache
  readonly settings: AllSettings
  /** Returns the text form of a user's id. @throws QuillgateError `invalid_user` */
  readonly toUserId: (id: unknown) => string
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Ids of devices and events; they grow. */
  readonly createUuid: CreateUuid
}

/** The parts that a function uses. */
export type Parts<Name extends keyof RegistryParts> = Pick<RegistryParts, Name>
