import type { MigrationSet } from '@quillgate/server/database'
import { createDevices } from './migrations/0001-devices.ts'
import { indexOutboxQueues } from './migrations/0002-outbox-queue.ts'
import { addAddressAges } from './migrations/0003-address-ages.ts'
import { addSecondFactor } from './migrations/0004-second-factor.ts'
import { createAlerts } from './migrations/0005-alerts.ts'
import { createCountries } from './migrations/0006-countries.ts'
import { indexOutboxStates } from './migrations/0007-outbox-states.ts'
import { addSuspectDevices } from './migrations/0008-suspect-devices.ts'
import { addCopies } from './migrations/0009-copies.ts'
import { indexDeviceActivity } from './migrations/0010-device-activity.ts'
import { addPastSessions } from './migrations/0011-sessions-of-past-devices.ts'
import { widenCountries } from './migrations/0012-country-names.ts'
import { countOwnerChanges } from './migrations/0013-owner-changes.ts'

/** The schema of this component. */
export const deviceMigrations: MigrationSet = {
  component: 'trusted-devices',
  migrations: [
    createDevices,
    indexOutboxQueues,
    addAddressAges,
    addSecondFactor,
    createAlerts,
    createCountries,
    indexOutboxStates,
    addSuspectDevices,
    addCopies,
    indexDeviceActivity,
    addPastSessions,
    widenCountries,
    countOwnerChanges,
  ],
}
