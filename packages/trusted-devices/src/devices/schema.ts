import type { MigrationSet } from '@quillgate/database'
import { createDevices } from './migrations/0001-devices.ts'
import { createCountries } from './migrations/0006-countries.ts'

/** The schema of this component. */
export const deviceMigrations: MigrationSet = {
  component: 'trusted-devices',
  migrations: [createDevices, createCountries],
}
