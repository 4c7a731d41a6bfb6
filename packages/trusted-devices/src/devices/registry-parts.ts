import type { SqlExecutor } from '@quillgate/server/database'
import type { PersonalData } from '../privacy/personal-data.ts'
import type { Settings } from '../settings.ts'
import type { CreateUuid } from '../uuid.ts'
import type { Announcer } from './announcer.ts'
import type { DeviceCache } from './device-cache.ts'
import type { DeviceFact } from './facts.ts'
import type { DeviceAddresses } from './tables/device-addresses.ts'
import type { DeviceDatabase } from './tables/device-database.ts'
import type { DeviceRemoval } from './tables/device-removal.ts'
import type { DeviceTable } from './tables/device-table.ts'
import type { RevokedDevices } from './tables/revoked-devices.ts'

/** What the operations of the registry work with. */
export interface RegistryParts {
  readonly db: DeviceDatabase
  readonly table: DeviceTable
  readonly removal: DeviceRemoval
  readonly revoked: RevokedDevices
  readonly addresses: DeviceAddresses
  /** Every place that keeps personal data; the owner's row is the last one. */
  readonly personalData: readonly PersonalData[]
  /** Forgets what a user was told by mail. */
  readonly forgetAlerts: (tx: SqlExecutor, userId: string) => Promise<void>
  readonly cache: DeviceCache
  /** Makes the caches of other nodes forget, too. */
  readonly announcer: Announcer
  readonly settings: Settings
  /** Returns the text form of a user's id. @throws QuillgateError `invalid_user` */
  readonly toUserId: (id: unknown) => string
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Ids of devices and events; they grow. */
  readonly createUuid: CreateUuid
  /** Keeps facts in the transaction that made them true, for delivery after a crash. */
  readonly recordFacts?: (tx: SqlExecutor, facts: readonly DeviceFact[]) => Promise<void>
  /** Whether kept facts were committed; null when none of them is kept. What is kept is never lost, also when nobody can tell. */
  readonly isRecorded?: (tx: SqlExecutor, facts: readonly DeviceFact[]) => Promise<boolean | null>
  /** Hears of facts of which nobody can tell whether they were committed: their signals are not sent. */
  readonly onLostFacts: (facts: readonly DeviceFact[], error: unknown) => void
}
